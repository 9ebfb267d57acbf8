import assert from 'node:assert/strict';
import { ProgressBar } from '../../src/client-cli/progress.ts';
import { record, table } from '../../src/client-cli/table.ts';

describe('what a terminal shows', () => {
  const shown = (isTerminal: boolean, isWanted: boolean): string => {
    let text = '';
    const output = { write: (more: string | Uint8Array) => void (text += String(more)), isTerminal, columns: 80 };
    const bar = new ProgressBar(output, isWanted);
    bar.show({ processed: 5, total: 20, failed: 1, status: 'processing' });
    bar.clear();
    return text;
  };

  it('when a job is watched, then there is a bar on one line, which goes away', () => {
    assert.match(shown(true, true), /^\r█{7}░{21} 25 % {2}5 of 20, 1 failed {2}processing\r +\r$/);
  });

  it('when nobody looks, or nobody wants it, then there is none', () => {
    assert.deepEqual([shown(false, true), shown(true, false)], ['', '']);
  });

  it('when a name from a site steers terminals, then it does not get there', () => {
    const rows = [{ name: 'a\u001b[2Jb\nc\u202ed' }];
    const columns = [{ title: 'name', of: ({ name }: { name: string }) => name }];
    assert.equal(table(rows, columns, { colored: false }), 'NAME\na [2Jb c d\n');
    assert.equal(record({ name: rows[0]?.name }), 'name  a [2Jb c d\n');
  });

  it('when a line is longer than the terminal, then it is cut there', () => {
    const text = table([{ id: 'x'.repeat(100) }], [{ title: 'id', of: ({ id }) => id }], { width: 20, colored: false });
    assert.deepEqual(
      text.split('\n').map(({ length }) => length),
      [2, 20, 0],
    );
  });
});
