import type { ChildLink } from './target.ts';

export interface ToolCalls {
  /**
   * Ends all sessions of the connected administrator, including those of this service (protocol 4.8). Other users stay
   * logged in. The call may be repeated safely.
   */
  destroySessions(link: ChildLink): Promise<void>;
}
