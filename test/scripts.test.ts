import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

const README = readFileSync('scripts/README.md', 'utf8');
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
const SOURCE = /scripts\/[\w/-]+\.ts/g;

const callOf = (name: string): string => (['start', 'test'].includes(name) ? `npm ${name}` : `npm run ${name}`);

describe('npm commands', () => {
  it('when a command is in package.json, then its file exists and scripts/README.md lists it', () => {
    for (const [name, command] of Object.entries(scripts)) {
      for (const [file] of command.matchAll(SOURCE)) assert.ok(existsSync(file), `${name}: ${file}`);
      // npm runs `prepare` after an installation.
      if (name !== 'prepare') assert.ok(README.includes(`\`${callOf(name)}`), name);
    }
    assert.ok(Object.keys(scripts).length <= 20, 'A further command needs no npm script: npx tsx scripts/…');
  });

  it('when scripts/README.md names a file, then the file exists', () => {
    const files = [...README.matchAll(SOURCE)].map(([file]) => file);
    assert.ok(files.length >= 6);
    assert.deepEqual(
      files.filter((file) => !existsSync(file)),
      [],
    );
  });

  it('when scripts/ is read, then it has one README and folders that the README explains', () => {
    const entries = readdirSync('scripts', { withFileTypes: true });
    assert.deepEqual(
      entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name),
      ['README.md'],
    );
    for (const { name } of entries.filter((entry) => entry.isDirectory()))
      assert.match(README, new RegExp(`^\\| \`${name}/\` +\\|`, 'm'), name);
  });
});
