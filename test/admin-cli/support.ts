import { Sealing } from '../../src/db/sealing.ts';
import { AccessService } from '../../src/domains/access/index.ts';
import { ChangeLog } from '../../src/domains/changes/index.ts';
import { TestMail } from '../../src/domains/mail/index.ts';
import { ModuleService } from '../../src/domains/modules/index.ts';
import { Smtp } from '../../src/outbound/index.ts';
import { parseSmtpUrl } from '../../src/shared/smtp-target.ts';
import { run } from '../../src/admin-cli/run.ts';
import { systemClock } from '../../src/shared/clock.ts';
import type { Database } from '../../src/db/database.ts';

export interface CliResult {
  code: number;
  out: string;
  err: string;
}

export interface TestCli {
  access: AccessService;
  modules: ModuleService;
  /** Number of times that the product was opened. */
  opened: number;
  closed: number;
  call(line: string): Promise<CliResult>;
}

/** The admin CLI with one database. Each call opens and closes the product but not the database. */
export function createTestCli(database: Database, smtpUrl: string | null = null): TestCli {
  const changeLog = new ChangeLog(systemClock);
  const sealing = new Sealing(Buffer.alloc(32, 7));
  const access = new AccessService(database, sealing, systemClock, changeLog);
  const modules = new ModuleService(database, systemClock, changeLog);
  const target = smtpUrl === null ? null : parseSmtpUrl(smtpUrl);
  const server = target && new Smtp(target);
  const headers = () => Promise.resolve({ fromName: null, replyTo: 'desk@agency.test' });
  const testMail = new TestMail({
    server,
    from: { name: 'Agency', address: 'mail@agency.test' },
    headers,
    clock: systemClock,
  });
  const cli: TestCli = {
    access,
    modules,
    opened: 0,
    closed: 0,
    async call(line) {
      const ended: CliResult = { code: -1, out: '', err: '' };
      ended.code = await run(line.split(' ').filter(Boolean), {
        open: async () => {
          cli.opened++;
          return { database, sealing, access, modules, testMail, close: async () => void cli.closed++ };
        },
        out: (text) => void (ended.out += text),
        err: (text) => void (ended.err += text),
      });
      return ended;
    },
  };
  return cli;
}
