/** Writes small PDFs for tests: pages of Helvetica text, and on request a password nobody knows. */

export interface PdfContent {
  /** The lines of each page, in ASCII without brackets. */
  readonly pages: readonly (readonly string[])[];
  readonly encrypted?: boolean;
}

export function toPdf({ pages, encrypted = false }: PdfContent): Buffer {
  const objects: string[] = [];
  const add = (body: string): number => objects.push(body);
  const font = add('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>');
  // The page tree comes after its pages, whose number is known.
  const tree = 2 + 2 * pages.length;
  const kids = pages.map((lines) => {
    const shown = lines.map((line) => `(${line}) Tj 0 -20 Td`).join(' ');
    const drawing = `BT /F1 12 Tf 72 720 Td ${shown} ET`;
    const content = add(`<< /Length ${drawing.length} >>\nstream\n${drawing}\nendstream`);
    const page = add(
      `<< /Type /Page /Parent ${tree} 0 R /MediaBox [0 0 612 792] /Contents ${content} 0 R /Resources << /Font << /F1 ${font} 0 R >> >> >>`,
    );
    return `${page} 0 R`;
  });
  add(`<< /Type /Pages /Kids [${kids.join(' ')}] /Count ${pages.length} >>`);
  const root = add(`<< /Type /Catalog /Pages ${tree} 0 R >>`);
  const secret = 'ab'.repeat(32);
  const lock = encrypted
    ? ` /Encrypt << /Filter /Standard /V 1 /R 2 /O <${secret}> /U <${secret}> /P -4 >> /ID [<00> <00>]`
    : '';
  return assemble(objects, `<< /Size ${objects.length + 1} /Root ${root} 0 R${lock} >>`);
}

function assemble(objects: readonly string[], trailer: string): Buffer {
  let text = '%PDF-1.4\n';
  const offsets = objects.map((body, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj\n${body}\nendobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const start = text.length;
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.join('')}`;
  return Buffer.from(`${text}${table}trailer\n${trailer}\nstartxref\n${start}\n%%EOF\n`, 'latin1');
}
