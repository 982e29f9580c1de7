export interface DoctorFlags {
  home?: string;
}
import type { Io } from '../io.ts';
export async function doctor(_io: Io, _flags: DoctorFlags): Promise<void> {}
