import assert from 'node:assert/strict';
import type { World } from './world.ts';

/** The tools that act on the fleet, with the name of the ID in their responses. */
export const RUN_IDS = {
  'destroy-sessions': 'destroy_id',
  'renew-connections': 'renew_id',
  'disconnect-all-sites': 'disconnect_id',
} as const;

export type FleetTool = keyof typeof RUN_IDS;
export const FLEET_TOOLS = Object.keys(RUN_IDS) as FleetTool[];

/** Status of a run. */
export interface ToolStatus {
  status: string;
  total: number;
  processed: number;
  failed: number;
  progress: number;
  errors: { site_id: number; code: string }[];
  started_at: string | null;
  completed_at: string | null;
}

/** Starts a tool. Returns the ID of its run. */
export async function startTool(world: World, tool: FleetTool): Promise<string> {
  const { body } = await world.request('POST', `/api/v2/settings/tools/${tool}`);
  const id = body[RUN_IDS[tool]] as string;
  assert.equal(body.status_url, `${world.url}/api/v2/settings/tools/${tool}-status/${id}`);
  return id;
}

export async function toolStatus(world: World, tool: FleetTool, id: string): Promise<ToolStatus> {
  const { body } = await world.request('GET', `/api/v2/settings/tools/${tool}-status/${encodeURIComponent(id)}`);
  assert.equal(body.success, 1);
  return body as ToolStatus;
}

/** Runs a tool to its end. */
export async function runTool(world: World, tool: FleetTool): Promise<ToolStatus & { id: string }> {
  const id = await startTool(world, tool);
  await world.finishedJob(id);
  return { id, ...(await toolStatus(world, tool, id)) };
}
