import { createBaseServices, type BaseServices } from '../platform/base-services.ts';
import type { Config } from '../platform/config.ts';
import { AccessService } from '../domains/access/index.ts';
import { changesPart } from '../domains/changes/part.ts';
import { senderHeadersOf, TestMail } from '../domains/mail/index.ts';
import { modulesPart } from '../domains/modules/part.ts';
import { SettingsService } from '../domains/settings/index.ts';
import { Smtp } from '../outbound/index.ts';
import type { Services } from '../service/services.ts';

export interface OperatorServices extends BaseServices {
  access: Services['access']['access'];
  modules: Services['modules']['modules'];
  testMail: TestMail;
}

export async function createOperatorServices(config: Config): Promise<OperatorServices> {
  const base = await createBaseServices(config);
  const { own: changes } = changesPart(base, () => Infinity);
  const access = new AccessService(base.database, base.sealing, base.clock, changes.changeLog);
  const { modules } = modulesPart(base, { changes }).own;
  const server = config.smtp && new Smtp(config.smtp);
  const settings = new SettingsService({ ...base, changeLog: changes.changeLog });
  const headers = async () => senderHeadersOf(await settings.read('general'));
  const testMail = new TestMail({ server, from: config.mailFrom, headers, clock: base.clock });
  const close = async (): Promise<void> => {
    await access.waitForWrites();
    await base.close();
  };
  return { ...base, access, modules, testMail, close };
}
