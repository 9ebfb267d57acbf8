import { MODULES, type Module } from '../domains/modules/index.ts';
import { toIso } from '../shared/clock.ts';
import { ACTOR, requiredOption, type CommandGroup } from './command.ts';
import { formatTextTable, formatTime } from './output-format.ts';

const toModuleOutput = ({ slug, name, active, updatedAt }: Module) => ({
  slug,
  name,
  active,
  updated_at: toIso(updatedAt),
});

const createModuleSwitchVerb = (active: boolean): CommandGroup['verbs'][string] => ({
  summary: active ? 'Turn a module on.' : 'Turn a module off and keep its data.',
  options: {
    slug: { value: 'slug', description: 'Module name.', required: true, choices: MODULES.map(({ slug }) => slug) },
  },
  subject: 'slug',
  example: `modules ${active ? 'on' : 'off'} cost-tracker`,
  run: async ({ modules: service }, values) => {
    const module = await service.setActive(requiredOption(values, 'slug'), active, ACTOR);
    return { data: toModuleOutput(module), text: `The module ${module.slug} is ${active ? 'on' : 'off'}.` };
  },
});

export const moduleCommands: CommandGroup = {
  name: 'modules',
  summary: 'Manage the optional modules of the service. Running processes notice a change within one second.',
  migratesFirst: true,
  verbs: {
    list: {
      summary: 'List all modules.',
      options: {},
      example: 'modules list',
      run: async ({ modules: service }) => {
        const all = await service.list();
        const rows = all.map(({ slug, name, active, updatedAt }) => [
          slug,
          name,
          active ? 'on' : 'off',
          formatTime(updatedAt),
        ]);
        return { data: all.map(toModuleOutput), text: formatTextTable(rows, ['SLUG', 'NAME', 'STATE', 'SINCE']) };
      },
    },
    on: createModuleSwitchVerb(true),
    off: createModuleSwitchVerb(false),
  },
};
