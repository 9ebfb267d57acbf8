import { InvalidError, type FieldError } from './errors.ts';

/** Collects what is wrong with the fields of an input, so that a caller hears all of it at once. */
export class FieldErrors {
  readonly #errors: FieldError[] = [];

  add(...errors: readonly FieldError[]): this {
    this.#errors.push(...errors);
    return this;
  }

  /** `message` says what the rule asks for, as in `must not be empty`. */
  rule(path: string, holds: boolean, message: string): this {
    return holds ? this : this.add({ path, message });
  }

  /** Throws `InvalidError` when anything is wrong. */
  refuse(): void {
    if (this.#errors.length > 0) throw new InvalidError(this.#errors);
  }
}

/** Refuses an input for one of its fields. */
export function refuseField(path: string, message: string): never {
  throw new InvalidError([{ path, message }]);
}
