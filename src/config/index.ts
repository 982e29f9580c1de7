/** The start options: where they are written, what they may be, and what holds without them. */

export { checkAddress, isLoopback, isLoopbackName } from './check-address.ts';
export { loadOptions, type LoadedOptions, type LoadRequest } from './load-options.ts';
export {
  logLevels,
  optionTable,
  optionsSchema,
  type OptionName,
  type OptionRow,
  type Options,
} from './options.ts';
export { describeOption, type Origin } from './origin.ts';
export { readBytes } from './read-text.ts';
