export { SecurityReadModel } from './security-read-model.ts';
export { securitySection } from './security-section.ts';
export type { SecurityFlags, SecurityIssue } from './security.ts';
export type { SecurityServices } from './part.ts';
