import assert from 'node:assert/strict';
import { ProgressBar } from '../../src/client-cli/progress-bar.ts';
import { formatRecord, formatTable } from '../../src/client-cli/table.ts';

describe('terminal output', () => {
  const shown = (isTerminal: boolean, isWanted: boolean): string => {
    let text = '';
    const output = { write: (more: string | Uint8Array) => void (text += String(more)), isTerminal, columns: 80 };
    const bar = new ProgressBar(output, isWanted);
    bar.show({ processed: 5, total: 20, partial: 0, failed: 1, unknown: 2, not_begun: 1, status: 'processing' });
    bar.clear();
    return text;
  };

  it('when a job is watched, then a progress bar is shown on one line and removed', () => {
    assert.match(
      shown(true, true),
      /^\r█{7}░{21} 25 % {2}5 of 20, 1 failed, 2 unknown, 1 not begun {2}processing\r +\r$/,
    );
  });

  it('when the output is no terminal or progress is off, then no progress bar is shown', () => {
    assert.deepEqual([shown(false, true), shown(true, false)], ['', '']);
  });

  it('when a site name contains control sequences, then they are removed', () => {
    const rows = [{ name: 'a\u001b[2Jb\nc\u202ed' }];
    const columns = [{ title: 'name', of: ({ name }: { name: string }) => name }];
    assert.equal(formatTable(rows, columns, { colored: false }), 'NAME\na [2Jb c d\n');
    assert.equal(formatRecord({ name: rows[0]?.name }), 'name  a [2Jb c d\n');
  });

  it('when a line is longer than the terminal, then it is cut', () => {
    const text = formatTable([{ id: 'x'.repeat(100) }], [{ title: 'id', of: ({ id }) => id }], {
      width: 20,
      colored: false,
    });
    assert.deepEqual(
      text.split('\n').map(({ length }) => length),
      [2, 20, 0],
    );
  });
});
