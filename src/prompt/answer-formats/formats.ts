/** The table of the families of tool-call formats. Data; read by the parser and by the constraint's writer. */

import { elementFormats } from './formats/element-formats.ts';
import { jsonFormats } from './formats/json-formats.ts';
import type { ToolFormat } from './tool-format.ts';

export type FormatName = keyof typeof jsonFormats | keyof typeof elementFormats;

export const formats: Readonly<Record<FormatName, ToolFormat>> = {
  ...jsonFormats,
  ...elementFormats,
};
