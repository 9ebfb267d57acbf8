import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OPERATIONS } from '../../src/sdk/index.ts';
import { InstalledCli } from './support.ts';

const CASES: readonly [line: string, offered: readonly string[], not?: readonly string[]][] = [
  ['', ['sites', 'updates', 'call', 'completion', 'verify', 'demo']],
  ['up', ['updates'], ['sites']],
  ['updates ', ['list', 'run'], ['sync']],
  ['updates run --', ['--dry-run', '--rings', '--stop-after-failed', '--json', '--help'], ['--limit']],
  ['updates run --site 1 --dr', ['--dry-run']],
  ['call updates_pl', ['updates_plan'], ['updates_list']],
  ['call updates_list --', ['--output', '--follow'], ['--rings']],
  ['completion ', ['bash', 'zsh', 'fish']],
  ['--ver', ['--version']],
  ['call updates_list --output /etc/host', ['/etc/hosts']],
];

describe('completion of the client CLI', () => {
  let command: InstalledCli;
  before(async () => (command = await InstalledCli.build()));
  after(() => command.remove());

  async function scriptFor(shell: string): Promise<string> {
    const { code, out } = await command.run(`completion ${shell}`);
    assert.equal(code, 0);
    const file = join(command.home, `completion.${shell}`);
    await writeFile(file, out);
    return file;
  }

  function check(complete: (line: string) => string[]): void {
    for (const [line, offered, not = []] of CASES) {
      const words = complete(line);
      for (const word of offered) assert.ok(words.includes(word), `${line}: ${word} is missing in ${words.join(' ')}`);
      for (const word of not) assert.ok(!words.includes(word), `${line}: ${word}`);
    }
    assert.equal(complete('call ').length, OPERATIONS.length);
  }

  it('when bash completes, then it offers commands, options, operations and files', async () => {
    const file = await scriptFor('bash');
    check((line) => {
      const program = `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _sitefleet; printf '%s\\n' "\${COMPREPLY[@]}"`;
      const words = ['sitefleet', ...line.split(' ')];
      return execFileSync('bash', ['--norc', '-c', program, 'bash', file, ...words], { encoding: 'utf8' })
        .split('\n')
        .filter(Boolean);
    });
  });

  it('when fish completes, then it offers commands, options, operations and files', async function () {
    const file = await scriptFor('fish');
    try {
      execFileSync('fish', ['--version']);
    } catch {
      this.skip();
    }
    check((line) =>
      execFileSync('fish', ['--no-config', '-c', 'source $argv[1]; complete -C $argv[2]', file, `sitefleet ${line}`], {
        encoding: 'utf8',
      })
        .split('\n')
        .flatMap((each) => each.split('\t')[0] || []),
    );
  });
});
