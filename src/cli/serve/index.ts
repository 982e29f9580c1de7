/** Running the server from the command line. */

export { serve } from './serve.ts';
