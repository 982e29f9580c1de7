/** What is measured: something that compiles JSON schemas and says which tokens may come next. */

export interface Contender {
  readonly name: string;
  /** Throws where the schema is refused. */
  compile(schema: string): Promise<Constraint>;
}

export interface Constraint {
  /** A new text. */
  open(): Promise<Text>;
  close(): void;
}

export interface Text {
  /** Bits of the tokens that may come next. */
  mask(): Promise<ArrayLike<number>>;
  /** False where the token may not come. */
  take(token: number): boolean;
  close(): void;
}
