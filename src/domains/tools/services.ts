import type { InfoMessages } from './info-messages.ts';
import type { ToolRuns } from './tool-runs.ts';

/** What other parts and the surfaces may ask of the tools. */
export interface ToolsServices {
  runs: ToolRuns;
  messages: InfoMessages;
}
