/** The thread in which PDFs are read. */

import { answerJobs } from '../workers/answer-jobs.ts';
import { extractPdf, type PdfLimits, type PdfProblem, type PdfText } from './extract-pdf.ts';

export interface PdfJob {
  readonly bytes: Uint8Array;
  readonly limits: PdfLimits;
}

answerJobs(
  async ({ bytes, limits }: PdfJob): Promise<PdfText | PdfProblem> =>
    await extractPdf(bytes, limits),
);
