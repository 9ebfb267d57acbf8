/**
 * A constructor for the requests or responses of a server. Their prototype is that of the Express application, which is
 * made after the server.
 */
export interface LatePrototype<Base> {
  constructor: Base;
  /** Sets the prototype of the objects that are created from now on. */
  set: (prototype: object) => void;
}

/** A constructor that is a function and no class, as those of `node:http` are. */
type ConstructorFunction = { prototype: object } & ((this: object, ...args: unknown[]) => void);

/** Returns a constructor that initializes its objects as `base` does. They have its prototype until another is set. */
export function latePrototype<Base extends new (...args: never[]) => object>(base: Base): LatePrototype<Base> {
  const initialize = base as unknown as ConstructorFunction;
  // A class has a prototype that cannot be replaced, and objects of `Reflect.construct` are as slow as those that
  // `Object.setPrototypeOf` has changed.
  function Created(this: object, first: unknown, second: unknown): void {
    initialize.call(this, first, second);
  }
  Created.prototype = initialize.prototype;
  return { constructor: Created as unknown as Base, set: (prototype) => (Created.prototype = prototype) };
}
