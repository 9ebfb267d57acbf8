import { compareLoads, type Call, type ComparedLoad, type LoadTarget } from './load.ts';
import { startScript } from './processes.ts';

export interface ExpressComparison {
  /** Size of the body that stock Express sends, which is that of the first response of the first target. */
  bytes: number;
  express: ComparedLoad;
  /** In the order of the targets. */
  loads: ComparedLoad[];
}

/** Compares targets with a constant of the same size in stock Express, in the same rounds. */
export async function compareWithExpress(targets: LoadTarget[]): Promise<ExpressComparison> {
  const bytes = await responseBytes(targets[0] as LoadTarget);
  const bare = await startScript('bare-express.ts', [String(bytes)]);
  try {
    const [express, ...loads] = await compareLoads([{ process: bare, url: bare.url }, ...targets]);
    return { bytes, express: express as ComparedLoad, loads };
  } finally {
    await bare.stop();
  }
}

async function responseBytes({ url, authorization = '', headers, body, callAt }: LoadTarget): Promise<number> {
  const call: Call = callAt?.(0) ?? { path: '', ...(body && { body }) };
  const response = await fetch(url + call.path, {
    headers: { authorization, 'content-type': 'application/json', ...headers },
    ...(call.body ? { method: 'POST', body: JSON.stringify(call.body) } : {}),
  });
  const bytes = (await response.arrayBuffer()).byteLength;
  if (!response.ok) throw new Error(`${url + call.path}: ${response.status}`);
  return bytes;
}
