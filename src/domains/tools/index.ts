export type { DismissedMessage } from './info-message-repository.ts';
export type { ToolsServices } from './part.ts';
