export function errors(document: object): void;
