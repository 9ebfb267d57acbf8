import type { InfoMessages } from './info-messages.ts';
import type { ToolRuns } from './tool-runs.ts';

export interface ToolsServices {
  runs: ToolRuns;
  messages: InfoMessages;
}
