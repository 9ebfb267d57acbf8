import type { User } from '../domains/access/index.ts';
import { toIso } from '../shared/clock.ts';
import { BUILT_IN_ROLES } from '../shared/permissions.ts';
import {
  ACTOR,
  isSet,
  optionOrNull,
  requiredOption,
  type CommandGroup,
  type Option,
  type CommandResult,
} from './command.ts';
import { formatTextTable, formatTime } from './output-format.ts';

/** Role of users that see only the sites of their limit. */
const LIMITED_ROLE = 'client';

const NAME: Option = {
  value: 'name',
  description: 'User name (not case-sensitive).',
  required: true,
};
const ROLE: Option = {
  value: 'role',
  description:
    `Role of the user: ${BUILT_IN_ROLES.filter((role) => role !== LIMITED_ROLE).join(', ')}, or one made with the API. ` +
    `The role ${LIMITED_ROLE} needs a limit, which only the API can set.`,
  required: true,
};
const LABEL: Option = { value: 'text', description: 'Purpose of the password.' };

const DEFAULT_LABEL = 'command line';

const toUserOutput = (user: User) => ({
  id: user.id,
  name: user.name,
  role: user.role,
  enabled: user.enabled,
  limit: user.siteLimit,
  created_at: toIso(user.createdAt),
});

const userResult = (user: User, sentence: string): CommandResult => ({ data: toUserOutput(user), text: sentence });

const passwordLines = (name: string, password: string): string =>
  `Application password of ${name} (shown only once):\n${password}`;

export const userCommands: CommandGroup = {
  name: 'users',
  summary: 'Manage users and their application passwords.',
  migratesFirst: true,
  verbs: {
    list: {
      summary: 'List all users.',
      options: {},
      example: 'users list',
      run: async ({ access }) => {
        const all = await access.listUsers();
        const rows = all.map((user) => [
          ...[user.name, user.role, user.enabled ? 'yes' : 'no', user.siteLimit ? 'limited' : 'all'],
          formatTime(user.createdAt),
        ]);
        return {
          data: all.map(toUserOutput),
          text: formatTextTable(rows, ['NAME', 'ROLE', 'ENABLED', 'SITES', 'CREATED']),
        };
      },
    },
    create: {
      summary: 'Create a user with an application password, and print the password once.',
      options: { name: NAME, role: ROLE },
      subject: 'name',
      example: 'users create --name alice --role viewer',
      run: async ({ access }, values) => {
        const newUser = { name: requiredOption(values, 'name'), role: requiredOption(values, 'role') };
        const user = await access.createUser(newUser, ACTOR);
        const { password } = await access.addPassword(user.id, DEFAULT_LABEL, ACTOR);
        const data = { ...toUserOutput(user), password };
        return { data, text: `The user ${user.name} was created.\n${passwordLines(user.name, password)}` };
      },
    },
    password: {
      summary: 'Create an application password for a user and print it once.',
      options: {
        name: NAME,
        label: LABEL,
        revoke: {
          description:
            'Revoke all previous passwords of the user. A preset password is created again at the next start.',
        },
      },
      subject: 'name',
      example: 'users password --name alice --revoke',
      run: async ({ access }, values) => {
        const user = await access.userNamed(requiredOption(values, 'name'));
        const label = optionOrNull(values, 'label') ?? DEFAULT_LABEL;
        const { password } = await access.addPassword(user.id, label, ACTOR, { revokeOthers: isSet(values, 'revoke') });
        return { data: { ...toUserOutput(user), password }, text: passwordLines(user.name, password) };
      },
    },
    enable: {
      summary: 'Enable a disabled user.',
      options: { name: NAME },
      subject: 'name',
      example: 'users enable --name alice',
      run: async ({ access }, values) => {
        const { id } = await access.userNamed(requiredOption(values, 'name'));
        const user = await access.setEnabled(id, true, ACTOR);
        return userResult(user, `The user ${user.name} is enabled.`);
      },
    },
    disable: {
      summary: 'Disable a user with all passwords and API keys.',
      options: { name: NAME },
      subject: 'name',
      example: 'users disable --name alice',
      run: async ({ access }, values) => {
        const { id } = await access.userNamed(requiredOption(values, 'name'));
        const user = await access.setEnabled(id, false, ACTOR);
        return userResult(user, `The user ${user.name} is disabled.`);
      },
    },
    role: {
      summary: 'Change the role of a user.',
      options: { name: NAME, role: ROLE },
      subject: 'name',
      example: 'users role --name alice --role administrator',
      run: async ({ access }, values) => {
        const { id } = await access.userNamed(requiredOption(values, 'name'));
        const user = await access.setRole(id, requiredOption(values, 'role'), ACTOR);
        return userResult(user, `The user ${user.name} is now ${user.role}.`);
      },
    },
    unlimit: {
      summary: 'Remove the limit of a user to some sites.',
      options: { name: NAME },
      subject: 'name',
      example: 'users unlimit --name alice',
      run: async ({ access }, values) => {
        const { id } = await access.userNamed(requiredOption(values, 'name'));
        const user = await access.editUser(id, { siteLimit: null }, ACTOR);
        return userResult(user, `The user ${user.name} may see all sites.`);
      },
    },
    delete: {
      summary: 'Delete a user with all passwords and API keys.',
      options: { name: NAME },
      subject: 'name',
      example: 'users delete --name alice',
      run: async ({ access }, values) => {
        const user = await access.userNamed(requiredOption(values, 'name'));
        await access.deleteUser(user.id, ACTOR);
        return userResult(user, `The user ${user.name} was deleted.`);
      },
    },
  },
};
