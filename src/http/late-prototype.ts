/**
 * A constructor for the requests or responses of a server. Their prototype is that of the Express application, which is
 * created after the server.
 */
export interface LatePrototype<Base> {
  constructor: Base;
  set: (prototype: object) => void;
}

type ConstructorFunction = { prototype: object } & ((this: object, ...args: unknown[]) => void);

/**
 * Returns a constructor that initializes its objects as `base` does. They have the prototype of `base` until `set` is
 * called.
 */
export function latePrototype<Base extends new (...args: never[]) => object>(base: Base): LatePrototype<Base> {
  const initialize = base as unknown as ConstructorFunction;
  // This is no class, because the prototype of a class cannot be replaced. `Reflect.construct` is not used either: its
  // objects are as slow as those that `Object.setPrototypeOf` has changed.
  function Created(this: object, first: unknown, second: unknown): void {
    initialize.call(this, first, second);
  }
  Created.prototype = initialize.prototype;
  return { constructor: Created as unknown as Base, set: (prototype) => (Created.prototype = prototype) };
}
