import assert from 'node:assert/strict';
import { ProgressBar } from '../../src/client-cli/progress-bar.ts';
import type { Job, JobRing } from '../../src/sdk/index.ts';
import type { CliEnvironment } from '../../src/client-cli/cli-environment.ts';
import { CommandContext } from '../../src/client-cli/command-context.ts';
import { createProgram } from '../../src/client-cli/program.ts';
import { formatRecord, formatTable, type Column } from '../../src/client-cli/table.ts';

describe('terminal output', () => {
  const shown = (isTerminal: boolean, isWanted: boolean, columns = 120, more: Partial<Job> = {}): string => {
    let text = '';
    const output = { write: (added: string | Uint8Array) => void (text += String(added)), isTerminal, columns };
    const bar = new ProgressBar(output, isWanted);
    bar.show({
      processed: 5,
      total: 20,
      partial: 0,
      failed: 1,
      unknown: 2,
      not_begun: 1,
      status: 'processing',
      ...more,
    });
    bar.clear();
    return text;
  };
  const ring = (name: string, state: string): JobRing => ({
    ...{ name, state, total: 1, succeeded: 0, failed: 0, broken: 0, installed: 0, proven: 0, unknown: 0 },
    nothing_to_do: 0,
  });

  it('when a job is watched, then a progress bar is shown on one line and removed', () => {
    assert.match(
      shown(true, true),
      /^\r█{7}░{21} 25 % {2}5 of 20, 1 failed, 2 unknown, 1 not begun {2}processing\r +\r$/,
    );
  });

  it('when the terminal is narrow, then the line is cut so that it does not wrap', () => {
    for (const columns of [79, 40, 10]) {
      const [, line = ''] = shown(true, true, columns).split('\r');
      assert.ok(line.length < columns, `${line.length} of ${columns}`);
    }
    assert.match(shown(true, true, 79), /^\r█+░+ 25 % {2}5 of 20, 1 failed, 2 unknown, 1 not begun {2}processing\r/);
  });

  it('when the job has rings, then the running ring is shown', () => {
    const rings = [ring('canary', 'passed'), ring('50%', 'running'), ring('rest', 'waiting')];
    assert.match(shown(true, true, 120, { rings }), /1 not begun {2}ring 50% \(2 of 3\)\r/);
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

  describe('with a width', () => {
    const row = {
      id: 'update_0b6c1f9e-5f0e',
      name: '小さなパン屋のホームページ',
      url: 'https://bakery.example/shop/',
      note: 'The site could not download the update of this plugin.',
    };
    const columns: Column<typeof row>[] = [
      { title: 'id', of: ({ id }) => id, narrow: 'keep' },
      { title: 'name', of: ({ name }) => name },
      { title: 'url', of: ({ url }) => url },
      { title: 'note', of: ({ note }) => note, narrow: 'wrap' },
    ];
    const linesAt = (width: number): string[] =>
      formatTable([row], columns, { width, colored: false }).trimEnd().split('\n');
    /** The characters of the name take two columns of a terminal. */
    const columnsOf = (line: string): number => line.length + (line.match(/[\u3040-\u9fff]/g) ?? []).length;

    it('when the terminal is wide enough, then nothing is cut', () => {
      const lines = linesAt(200);
      assert.equal(lines.length, 2);
      assert.equal(lines[1], Object.values(row).join('  '));
    });

    it('when the terminal is narrow, then IDs stay whole, other columns are cut, and messages continue on further lines', () => {
      const lines = linesAt(90);
      assert.ok(lines.length > 2, lines.join('\n'));
      for (const line of lines) assert.ok(columnsOf(line) <= 90, line);
      assert.match(lines[1] ?? '', /^update_0b6c1f9e-5f0e {2}小さな\S*… +https:\S*… +The site/);
      const message = lines.slice(1).map((line, at) => (at === 0 ? line.slice(line.indexOf('The site')) : line.trim()));
      assert.equal(message.join(' '), row.note);
      for (const line of lines.slice(2)) assert.match(line, /^ {40}/);
    });

    it('when the columns do not fit at their smallest widths, then rows continue on further lines', () => {
      assert.deepEqual(linesAt(40), [
        'ID                    NAME',
        '  URL           NOTE',
        'update_0b6c1f9e-5f0e  小さなパン屋のホ…',
        '  https://bak…  The site could not',
        '                download the update of',
        '                this plugin.',
      ]);
    });

    it('when an ID is wider than the terminal, then it stays whole, and all other values fit', () => {
      for (const width of [19, 5])
        for (const line of linesAt(width)) if (line !== row.id) assert.ok(columnsOf(line) <= width, line);
      assert.ok(linesAt(5).includes(row.id));
    });

    it('when a list of jobs is shown, then every value of a job is there at any width', () => {
      const job = { id: 'refresh-vulnerabilities_589333e5-8328-4355-b8e3-cd3ce8509db2', status: 'completed', done: 12 };
      const table = (width: number): string =>
        formatTable(
          [job],
          [
            { title: 'job', of: ({ id }) => id, narrow: 'keep' },
            { title: 'status', of: ({ status }) => status },
            { title: 'done', of: ({ done }) => done },
          ],
          { width, colored: false },
        );
      assert.equal(table(80).split('\n')[1], `${job.id}  completed  12`);
      for (const width of [60, 40]) assert.equal(table(width), `JOB\n  STATUS     DONE\n${job.id}\n  completed  12\n`);
    });
  });

  describe('record with a width', () => {
    const record = {
      url: 'https://bakery.example/shop/',
      permissions: 'sites:read, tags:read, updates:run',
      name: 'A',
    };

    it('when values are long, then they continue below themselves or below the name, and nothing is cut', () => {
      assert.equal(
        formatRecord(record, { width: 34 }),
        [
          'url',
          '  https://bakery.example/shop/',
          'permissions  sites:read,',
          '             tags:read,',
          '             updates:run',
          'name         A',
          '',
        ].join('\n'),
      );
    });

    it('when the output is no terminal, then each field is one line', () => {
      assert.equal(formatRecord(record).split('\n').length, 4);
    });
  });

  it('when help is shown at 80 columns, then no line is wider', () => {
    const output = { write: () => undefined, isTerminal: true, columns: 80 };
    const environment = { out: output, err: output, env: {} } as unknown as CliEnvironment;
    const program = createProgram(environment, '1.0.0', { ended: () => undefined, isJson: false });
    for (const command of [program, ...program.commands])
      for (const line of command.helpInformation().split('\n')) assert.ok(line.length <= 80, line);
  });

  it('when JSON is shown to a person, then it is indented, and characters that a terminal interprets are escaped', () => {
    const shownTo = (isTerminal: boolean): string => {
      let text = '';
      const out = { write: (more: string | Uint8Array) => void (text += String(more)), isTerminal, columns: 80 };
      const command = new CommandContext({ json: true }, { out } as unknown as CliEnvironment);
      command.print({ name: 'a\u009b2J\u202ec' }, () => '');
      return text;
    };
    assert.equal(shownTo(true), '{\n  "name": "a\\u009b2J\\u202ec"\n}\n');
    assert.equal(shownTo(false), '{"name":"a\u009b2J\u202ec"}\n');
  });
});
