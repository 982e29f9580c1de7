/** Reading server-sent events. */

export { readEvents } from './read-events.ts';
