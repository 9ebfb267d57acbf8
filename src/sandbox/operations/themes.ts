import { phpMap } from '../protocol/frame.ts';
import { textField } from '../protocol/form.ts';
import { frameReply, type Reply } from '../protocol/reply.ts';
import type { Theme } from '../state/site-state.ts';
import type { Call } from './call.ts';
import { themeEntry } from './inventory-views.ts';
import { recordForReport } from './logs.ts';
import { dropTranslations, filterPluginRows, isReportsPluginActive } from './plugins.ts';
import { syncBlock } from './stats.ts';

export function getAllThemes({ state, fields }: Call): Reply {
  const all = [...state.themes.values()].map((theme) => themeEntry(state, theme));
  return frameReply(filterPluginRows(all, fields, 'installed_themes'));
}

export function themeAction(call: Call): Reply {
  const action = textField(call.fields, 'action');
  const wanted = textField(call.fields, 'theme');
  if (action === 'activate') return activate(call, wanted);
  if (action === 'delete') return removeThemes(call, wanted.split('||'));
  return frameReply({ status: 'FAIL', sync: syncBlock(call), other_data: { theme_action_data: [] } });
}

function activate(call: Call, stylesheet: string): Reply {
  const { state } = call;
  const before = state.themes.get(state.activeTheme);
  const theme = state.themes.get(stylesheet);
  if (!call.defects.falseSuccesses.has(stylesheet) && state.activeTheme !== stylesheet) {
    // WordPress switches even to a missing theme, and then has no working theme (recorded from a real site).
    state.activeTheme = stylesheet;
    if (theme !== undefined) reportTheme(call, theme, 'activated');
  }
  return frameReply({
    status: 'SUCCESS',
    sync: syncBlock(call),
    other_data: {
      theme_action_data: { [stylesheet]: themeActionDataOf(stylesheet, theme) },
      theme_deactivate_data:
        before === undefined
          ? []
          : { [before.definition.name]: themeActionDataOf(before.definition.stylesheet, before) },
    },
  });
}

/**
 * Deletes themes. The child keeps the active theme and its parent (protocol 4.2). If the request names one of them,
 * `error` is an object, and the response contains it even if other themes were deleted.
 */
function removeThemes(call: Call, stylesheets: string[]): Reply {
  const { state } = call;
  const error: Record<string, string> = {};
  const done: [string, unknown][] = [];
  const parent = state.themes.get(state.activeTheme)?.definition.parent;
  for (const stylesheet of stylesheets) {
    const theme = state.themes.get(stylesheet);
    if (stylesheet === state.activeTheme) error['is_activated_theme'] = stylesheet;
    else if (stylesheet === parent) error['is_activated_parent'] = stylesheet;
    else if (theme !== undefined) {
      done.push([stylesheet, themeActionDataOf(stylesheet, theme)]);
      if (!call.defects.falseSuccesses.has(stylesheet)) removeTheme(call, theme);
    }
  }
  const hasErrors = Object.keys(error).length > 0;
  if (hasErrors && stylesheets.length === 1) return frameReply({ error });
  return frameReply({
    ...(hasErrors ? { error } : {}),
    status: 'SUCCESS',
    sync: syncBlock(call),
    other_data: { theme_action_data: phpMap(done) },
  });
}

function removeTheme(call: Call, theme: Theme): void {
  call.state.themes.delete(theme.definition.stylesheet);
  dropTranslations(call.state, theme.definition.stylesheet);
  reportTheme(call, theme, 'deleted');
}

function themeActionDataOf(stylesheet: string, theme: Theme | undefined): Record<string, string> {
  return { name: theme?.definition.name ?? '', version: theme?.version ?? '', slug: stylesheet };
}

export function reportTheme(call: Call, theme: Theme, action: string, oldVersion = ''): void {
  const { name, stylesheet } = theme.definition;
  const values = { name, slug: stylesheet, 'old.version': oldVersion, 'current.version': theme.version };
  recordForReport(call, 'theme', action, values, isReportsPluginActive(call.state));
}
