import type { InventoryCalls, UpdateCalls } from '../../connector/child-site.ts';
import { UpdateFailedError } from '../../shared/errors.ts';
import { attemptCall } from '../sites/index.ts';
import type { GuardTask, UpdateGuard } from './guard.ts';
import { installedPluginOf } from './update.ts';

/**
 * Updates an active plugin while it is inactive, so that a version that fails to load never runs for visitors. The
 * deactivation and activation hooks of the plugin run. Themes and inactive plugins are handled as by the plain guard.
 */
export function carefulGuard(
  child: Pick<InventoryCalls & UpdateCalls, 'pluginAction' | 'isNetworkActive'>,
): UpdateGuard {
  const act = async (task: GuardTask, action: 'activate' | 'deactivate'): Promise<void> => {
    const slug = (task.state && installedPluginOf(task.state, task.update)?.slug) ?? task.update.slug;
    const { after } = await child.pluginAction(task.link, action, [slug]);
    const plugin = after && installedPluginOf(after, task.update);
    if (plugin && plugin.active !== (action === 'activate'))
      throw new UpdateFailedError('svc_update_failed', `The site did not ${action} the plugin.`);
  };
  return {
    name: 'careful',
    async prepare(task) {
      if (!task.record.wasActive) return;
      const { value: isNetworkActive } = await attemptCall(() => child.isNetworkActive(task.link, task.update.slug));
      if (isNetworkActive) throw networkActive();
      if (isNetworkActive === null) throw networkUnknown();
      await act(task, 'deactivate');
    },
    async complete(task) {
      if (task.record.wasActive) await act(task, 'activate');
    },
    async restore(task) {
      await task.reinstall();
      if (task.record.wasActive) await act({ ...task, state: null }, 'activate');
    },
    async release(task) {
      if (!task.record.wasActive || !task.state) return [];
      const plugin = installedPluginOf(task.state, task.update);
      if (plugin?.active === false) await act(task, 'activate');
      return [];
    },
    isReleased: ({ record: { wasActive }, state, update }) =>
      !wasActive || (state !== null && installedPluginOf(state, update)?.active === true),
  };
}

/** The plugin of a whole network is not deactivated: the child plugin could only reactivate it on the main site. */
const networkActive = (): UpdateFailedError =>
  new UpdateFailedError('svc_update_failed', 'The plugin is active in the whole network of a multisite.', {
    reason: 'network_active',
  });

const networkUnknown = (): UpdateFailedError =>
  new UpdateFailedError(
    'svc_update_failed',
    'The child plugin cannot open the list of network plugins, so the plugin may be active in a whole multisite.',
    { reason: 'network_unknown' },
  );
