/**
 * What all targets of a server share beside their engines: threads that verify texts, render templates of
 * requests and read files, and the one way to remote files. Made once, closed with the server.
 */

import { createVerifier, type Verifier } from '../constraint/index.ts';
import { createFetcher } from '../fetch/index.ts';
import {
  createFileReader,
  createUntrustedRenderer,
  type FileReader,
  type UntrustedRenderer,
} from '../prompt/index.ts';

export interface TargetServices {
  readonly verifier: Verifier;
  readonly untrusted: UntrustedRenderer;
  readonly files: FileReader;
  /** Starts threads before they are needed; a second time it does nothing. */
  warm(): void;
  close(): Promise<void>;
}

export interface ServiceOptions {
  /** Whether files of messages may be fetched from elsewhere. */
  readonly fetchRemote: boolean;
  /** Also without TLS. */
  readonly fetchHttp: boolean;
  /** Addresses and networks that are fetched from though they are not public. */
  readonly fetchPrivate: readonly string[];
}

export function createTargetServices(options: ServiceOptions): TargetServices {
  const verifier = createVerifier();
  const untrusted = createUntrustedRenderer();
  const fetcher = createFetcher({
    remote: options.fetchRemote,
    allowHttp: options.fetchHttp,
    allowPrivate: options.fetchPrivate,
  });
  const files = createFileReader(fetcher);
  let isWarm = false;
  return {
    verifier,
    untrusted,
    files,
    warm: () => {
      if (isWarm) return;
      isWarm = true;
      verifier.warm();
      untrusted.warm();
    },
    close: async () => {
      isWarm = true;
      await Promise.all([verifier.close(), untrusted.close(), files.close()]);
    },
  };
}

/** Nothing but what a request carries is read. */
export const localOnly: ServiceOptions = { fetchRemote: false, fetchHttp: false, fetchPrivate: [] };
