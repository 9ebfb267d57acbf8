import { join } from 'node:path';
import { hasTool, outputOf } from '../sdk/run.ts';

/** What the clients of the pinned generator ask for. */
const NEEDED = ['pydantic>=2.11', 'urllib3>=2.1', 'python-dateutil>=2.8.2', 'typing-extensions>=4.7.1'];
const IMPORTS = 'import pydantic, urllib3, dateutil, typing_extensions; assert pydantic.VERSION >= "2"';

/**
 * A Python that has what the clients need: the one that is there, or one of its own in the folder; null without one.
 */
export async function pythonWith(folder: string): Promise<string | null> {
  if (!hasTool('python3', '--version')) return null;
  if (hasTool('python3', '-c', IMPORTS)) return 'python3';
  const own = join(folder, 'venv');
  const python = join(own, 'bin', 'python3');
  try {
    await outputOf('python3', ['-m', 'venv', own]);
    await outputOf(python, ['-m', 'pip', 'install', '-q', '--disable-pip-version-check', ...NEEDED]);
    return python;
  } catch (error) {
    console.error((error as Error).message);
    return null;
  }
}
