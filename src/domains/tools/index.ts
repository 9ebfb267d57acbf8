export type { DismissedMessage } from './dismissed-message-repository.ts';
export type { ToolsServices } from './part.ts';
