import type { ChildLink } from './target.ts';

export interface ToolCalls {
  /**
   * Ends all sessions of the administrator that the site is connected with, ours among them; other users stay logged
   * in. To do it twice is the same as once.
   */
  destroySessions(link: ChildLink): Promise<void>;
}
