/** A secret, or a function that decrypts it when it is needed. Most calls to a site do not need all of its secrets. */
export type SecretText = string | (() => string);

export const readSecret = (secret: SecretText): string => (typeof secret === 'string' ? secret : secret());
