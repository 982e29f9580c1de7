/**
 * A folder of runs that outlives the engine: one file a run, bounded by bytes, the oldest go first. The
 * prefix cache calls it. Writing happens between the engine's steps; reading does not wait for it.
 * Several engines may share the folder. A disk that fails never fails a request: it is told once, and
 * nothing is written any more. Nobody but the owner may read the files; they hold prompts.
 */

import type { Stats } from 'node:fs';
import { access, constants, mkdir, readdir, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { diskTrouble, makeFolder } from '../../home/index.ts';
import type { KvState, KvStates } from '../llama/decoder.ts';
import { readHeadSync, readRunSync, removeSync } from './read-run.ts';
import { headBytes, identityDigest, nameOf, namePrefix, runName } from './run-file.ts';
import type { RunFile, RunHead } from './run-file.ts';
import { isLeftover } from './temporary-name.ts';
import { writeRun } from './write-run.ts';

export interface PrefixDiskOptions {
  readonly dir: string;
  /** Most bytes of the folder, whoever wrote them. */
  readonly maxBytes: number;
  /** All that a state depends on: the model's digest, the library's version, the types of K and V. */
  readonly identity: Readonly<Record<string, string | number>>;
  /** Told at most once, in words for the user; from then on nothing is written. */
  readonly onFault: (message: string) => void;
  /** Milliseconds since 1970, for tests. */
  readonly now?: () => number;
}

/** A run that an earlier process left. */
export interface FoundRun {
  readonly file: RunFile;
  /** 0..file.end. */
  readonly tokens: Int32Array;
}

export interface WriteContent {
  /** SHA-256 in hex. */
  readonly namespace: string;
  /** Where the payload begins; it ends where the tokens do. */
  readonly start: number;
  /** From position 0 on. */
  readonly tokens: Int32Array;
  readonly payload: Uint8Array;
}

export interface WriteJob {
  /** Called when its turn comes; null = there is nothing to write any more. */
  prepare(): WriteContent | null;
  done(file: RunFile): void;
}

/** A folder that is full is emptied down to this share, so that counting it is rare. */
const keptShare = 0.9;

/** Others may write too: the folder is counted after this share of its bound was written. */
const countedShare = 1 / 16;

/** Opens the folder, makes it where it is missing, and reads the heads of what is there. */
export async function createPrefixDisk(options: PrefixDiskOptions): Promise<PrefixDisk> {
  const disk = new PrefixDisk(options);
  await disk.open();
  return disk;
}

export class PrefixDisk {
  readonly #dir: string;
  readonly #maxBytes: number;
  readonly #identity: string;
  readonly #onFault: (message: string) => void;
  readonly #now: () => number;
  /** Our identity's files, by name. */
  readonly #files = new Map<string, RunFile>();
  #found: FoundRun[] = [];
  #jobs: WriteJob[] = [];
  #working: Promise<void> | null = null;
  #isOff = false;
  #bytes = 0;
  #writtenSinceCount = 0;
  #damaged = 0;
  #removals = 0;

  /** Use `createPrefixDisk`. */
  constructor(options: PrefixDiskOptions) {
    this.#dir = resolve(options.dir);
    this.#maxBytes = options.maxBytes;
    this.#identity = identityDigest(options.identity);
    this.#onFault = options.onFault;
    this.#now = options.now ?? Date.now;
  }

  /** Of the folder, as of its last count and what this process did since. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Files that were not as they had been written; they were removed. */
  get damaged(): number {
    return this.#damaged;
  }

  /** Grows whenever a file is `gone`. */
  get removals(): number {
    return this.#removals;
  }

  /**
   * What earlier processes left, what begins earlier first. Gives it once, and then makes the folder as
   * small as it must be: by then the caller has told which files are needed by younger ones.
   */
  takeFound(): FoundRun[] {
    const found = this.#found;
    this.#found = [];
    if (!this.#isOff) this.#working ??= this.#work();
    return found;
  }

  async open(): Promise<void> {
    try {
      await makeFolder(dirname(this.#dir));
      await mkdir(this.#dir, { mode: 0o700 }).catch(ignore('EEXIST'));
      await access(this.#dir, constants.R_OK | constants.W_OK | constants.X_OK);
      const stranger = findStranger(await stat(this.#dir));
      if (stranger !== null) {
        this.#turnOff(stranger);
        return;
      }
      for (const name of await readdir(this.#dir)) {
        if (isLeftover(name)) await rm(join(this.#dir, name), { force: true });
      }
      for (const one of await this.#list()) {
        if (one.name.startsWith(namePrefix(this.#identity))) this.#readHead(one);
      }
      this.#found.sort(
        (one, other) => one.file.start - other.file.start || one.file.end - other.file.end,
      );
    } catch (error) {
      this.#fault(error);
    }
  }

  /** Writes a run when its turn comes; `first`: before all that waits. */
  queue(job: WriteJob, first: boolean): void {
    if (this.#isOff) return;
    if (first) this.#jobs.unshift(job);
    else this.#jobs.push(job);
    this.#working ??= this.#work();
  }

  /** The state of a file; null where it is gone or damaged, and then there is no such file any more. */
  read(file: RunFile, states: KvStates): KvState | null {
    if (file.gone) return null;
    try {
      const payload = readRunSync(join(this.#dir, file.name));
      const state = payload === null ? null : states.decode(payload);
      if (state !== null && state.length === file.end - file.start) return state;
    } catch (error) {
      // What another engine removed was not damaged.
      if (isMissing(error)) return this.#forget(file);
    }
    this.#damaged += 1;
    return this.discard(file);
  }

  /** It was used now. */
  touch(file: RunFile): void {
    file.usedAt = Math.max(file.usedAt, this.#now());
    file.touched = true;
  }

  discard(file: RunFile): null {
    if (file.gone) return null;
    removeSync(join(this.#dir, file.name));
    return this.#forget(file);
  }

  /** Ends when all that was queued is written, and what was used is marked so in the folder. */
  async flush(): Promise<void> {
    while (this.#working !== null) await this.#working;
    if (this.#isOff) return;
    await this.#markUsed();
  }

  #readHead({ name, size, usedAt }: ListedFile): void {
    const path = join(this.#dir, name);
    let head: RunHead | null = null;
    try {
      head = readHeadSync(path);
    } catch (error) {
      if (isMissing(error)) return;
    }
    if (head === null) {
      this.#damaged += 1;
      removeSync(path);
      this.#bytes -= size;
      return;
    }
    const { tokens } = head;
    // The name has only a part of the identity's digest.
    if (head.identity !== this.#identity || head.start >= tokens.length) return;
    const file = this.#enter(name, { ...head, bytes: size, usedAt });
    this.#found.push({ file, tokens });
  }

  #enter(
    name: string,
    run: { namespace: string; start: number; tokens: Int32Array; bytes: number; usedAt: number },
  ): RunFile {
    const { namespace, start, bytes, usedAt } = run;
    const end = run.tokens.length;
    const file = { name, namespace, start, end, bytes, usedAt, touched: false, gone: false };
    this.#files.set(name, file);
    return file;
  }

  #forget(file: RunFile): null {
    file.gone = true;
    this.#files.delete(file.name);
    this.#bytes -= file.bytes;
    this.#removals += 1;
    return null;
  }

  async #work(): Promise<void> {
    // Not in the step that queued it.
    await nextTurn();
    try {
      await this.#makeRoom(0);
      for (let job = this.#jobs.shift(); job !== undefined; job = this.#jobs.shift()) {
        await this.#write(job);
      }
    } catch (error) {
      this.#fault(error);
    }
    this.#working = null;
  }

  async #write(job: WriteJob): Promise<void> {
    const content = job.prepare();
    if (content === null) return;
    const head = {
      ...content,
      identity: this.#identity,
      payloadBytes: content.payload.length,
    };
    const bytes = headBytes(head.tokens.length) + head.payloadBytes;
    if (bytes > this.#maxBytes) return;
    await this.#makeRoom(bytes);
    const name = nameOf(head);
    await writeRun(this.#dir, head, content.payload);
    // The same run may be there already: it is as good as the new one, which has its place now.
    const before = this.#files.get(name);
    const usedAt = this.#now();
    if (before !== undefined) this.touch(before);
    else {
      this.#bytes += bytes;
      this.#writtenSinceCount += bytes;
    }
    job.done(before ?? this.#enter(name, { ...content, bytes, usedAt }));
  }

  /** Removes the oldest, whosever they are, until `bytes` more are within the bound. */
  async #makeRoom(bytes: number): Promise<void> {
    const isCountDue = this.#writtenSinceCount > this.#maxBytes * countedShare;
    if (this.#bytes + bytes <= this.#maxBytes && !isCountDue) return;
    // For the others who may be counting it.
    await this.#markUsed();
    const listed = (await this.#list()).map((one) => {
      const file = this.#files.get(one.name);
      return { ...one, file, usedAt: Math.max(one.usedAt, file?.usedAt ?? 0) };
    });
    if (this.#bytes + bytes <= this.#maxBytes) return;
    // What begins later is of no use without what comes before it.
    const start = (name: string): number => Number(runName.exec(name)?.[1] ?? 0);
    listed.sort((one, two) => one.usedAt - two.usedAt || start(two.name) - start(one.name));
    const most = Math.max(0, Math.min(this.#maxBytes * keptShare, this.#maxBytes - bytes));
    for (const { name, size, file } of listed) {
      if (this.#bytes <= most) return;
      await rm(join(this.#dir, name), { force: true });
      if (file === undefined) this.#bytes -= size;
      else if (!file.gone) this.#forget(file);
    }
  }

  /** Counts the folder. */
  async #list(): Promise<ListedFile[]> {
    const listed: ListedFile[] = [];
    for (const name of await readdir(this.#dir)) {
      if (!runName.test(name)) continue;
      const found: Stats | void = await stat(join(this.#dir, name)).catch(ignore('ENOENT'));
      if (found?.isFile()) listed.push({ name, size: found.size, usedAt: toMilliseconds(found) });
    }
    this.#bytes = listed.reduce((sum, { size }) => sum + size, 0);
    this.#writtenSinceCount = 0;
    return listed;
  }

  async #markUsed(): Promise<void> {
    for (const file of this.#files.values()) {
      if (!file.touched) continue;
      file.touched = false;
      const seconds = file.usedAt / 1000;
      // A mark that cannot be set only lets the file seem older than it is.
      await utimes(join(this.#dir, file.name), seconds, seconds).catch(() => {});
    }
  }

  #fault(error: unknown): void {
    const { code } = (error ?? {}) as { code?: unknown };
    this.#turnOff(
      diskTrouble(error)?.why ?? (typeof code === 'string' ? `the system says ${code}` : 'a bug'),
    );
  }

  #turnOff(why: string): void {
    if (this.#isOff) return;
    this.#isOff = true;
    this.#jobs = [];
    this.#onFault(
      `Prefixes are not kept on disk: cannot use ${this.#dir}: ${why}. They are still shared in memory. ` +
        'Repair the folder or choose another with --prefix-cache-dir, and start the deployment again.',
    );
  }
}

const writableByAll = 0o002;

/**
 * Who else may put files there; null: nobody. A checksum tells damage, not who wrote it, and what a file
 * says goes into answers.
 */
function findStranger({ uid, mode }: Stats): string | null {
  const self = process.getuid?.();
  // Elsewhere there are neither owners nor modes.
  if (self === undefined) return null;
  if (uid !== self && uid !== 0) return 'it belongs to another user';
  return (mode & writableByAll) === 0 ? null : 'every user may write there (chmod o-w it)';
}

interface ListedFile {
  readonly name: string;
  readonly size: number;
  readonly usedAt: number;
}

/** Whole ones, as the clock gives them: what was used together must not seem to differ. */
const toMilliseconds = (found: Stats): number => Math.floor(found.mtimeMs);

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/** For a promise whose failure with this code is no failure. */
function ignore(code: string): (error: NodeJS.ErrnoException) => void {
  return (error) => {
    if (error.code !== code) throw error;
  };
}
