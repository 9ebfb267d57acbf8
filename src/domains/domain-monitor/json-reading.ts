/** The JSON comes from the network, so nothing is assumed about the types of its values. */

export type JsonObject = Readonly<Record<string, unknown>>;

const MOST_ITEMS = 200;

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const jsonFieldOf = (value: unknown, name: string): unknown =>
  isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;

export const jsonItemsOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? (value as unknown[]).slice(0, MOST_ITEMS) : [];

const EARLIEST = Date.UTC(1980, 0, 1);
const LATEST = Date.UTC(2200, 0, 1);

export const plausibleTime = (ms: number): number | null => (ms >= EARLIEST && ms < LATEST ? ms : null);
