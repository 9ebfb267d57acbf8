/** A secret, or a function that decrypts it. Most calls to a site do not need all of its secrets. */
export type SecretText = string | (() => string);

export const readSecret = (secret: SecretText): string => (typeof secret === 'string' ? secret : secret());
