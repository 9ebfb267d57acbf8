import { InvalidError, type FieldError } from './errors.ts';

/** Collects the errors of all fields, so that one response lists all of them. */
export class FieldErrors {
  readonly #errors: FieldError[] = [];

  add(...errors: readonly FieldError[]): this {
    this.#errors.push(...errors);
    return this;
  }

  /** `message` states the requirement, for example `must not be empty`. */
  require(path: string, holds: boolean, message: string): this {
    return holds ? this : this.add({ path, message });
  }

  throwIfAny(): void {
    if (this.#errors.length > 0) throw new InvalidError(this.#errors);
  }
}

export function throwFieldError(path: string, message: string): never {
  throw new InvalidError([{ path, message }]);
}
