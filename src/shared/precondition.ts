/**
 * Throws if the record is not the version that the caller has read. Services call it in the transaction of the edit, on
 * the locked record.
 */
export type Precondition<T> = (current: T) => void;
