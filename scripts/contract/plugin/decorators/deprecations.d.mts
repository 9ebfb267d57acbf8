export function deprecations(document: object): void;
