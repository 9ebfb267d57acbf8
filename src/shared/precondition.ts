/**
 * Looks at a record that is about to be changed, and throws when it is not the one that its caller has seen. A service
 * runs it inside the transaction of the edit, on the record that it holds.
 */
export type Precondition<T> = (current: T) => void;
