/** The home folder as a place on a disk: making folders, and what a disk that says no means. */

export {
  diskFull,
  diskTrouble,
  notPermitted,
  otherHome,
  type DiskTrouble,
} from './disk-trouble.ts';
export { makeFolder } from './make-folder.ts';
