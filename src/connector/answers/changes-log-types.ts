/**
 * Type of a record. Most records in the child's changes log contain only a word for the action and the number of the
 * type. Some contain the old and the new value, under keys that differ from type to type.
 */
export interface ChangesLogType {
  /**
   * `context` and `action` replace the less specific words of the child. For example, the child logs an edited plugin
   * as a file.
   */
  context?: string;
  action?: string;
  prefix?: string;
  about?: string;
  /** Keys of the old value (empty if there is none) and of the new one. Missing if the values must not be shown. */
  values?: readonly [from: string, to: string];
}

/**
 * Type of a change of the profile field in which the child stores its connection tokens. The field changes with each
 * registration.
 */
export const CONNECTION_TYPE: ChangesLogType = { action: 'connection_changed' };
export const FIRST_ROLE_TYPE: ChangesLogType = { action: 'role_given', values: ['', 'newrole'] };

const changedPartType = (part: string, values?: readonly [string, string]): ChangesLogType => ({
  about: part,
  ...(values && { values }),
});
const actionType = (action: string): ChangesLogType => ({ action });

export const CHANGES_LOG_TYPES: Readonly<Record<number, ChangesLogType>> = {
  1205: actionType('published'),
  1225: actionType('trashed'),
  1235: changedPartType('categories'),
  1240: changedPartType('address'),
  1245: changedPartType('author', ['oldauthor', 'newauthor']),
  1250: changedPartType('status', ['oldstatus', 'newstatus']),
  1255: changedPartType('parent'),
  1260: changedPartType('template', ['oldtemplate', 'newtemplate']),
  1265: changedPartType('made sticky'),
  1270: changedPartType('no longer sticky'),
  1275: changedPartType('custom field'),
  1280: actionType('submitted'),
  1285: actionType('scheduled'),
  1290: changedPartType('visibility', ['oldvisibility', 'newvisibility']),
  1295: changedPartType('date', ['olddate', 'newdate']),
  1300: changedPartType('content'),
  1305: changedPartType('title', ['oldtitle', 'newtitle']),
  1320: changedPartType('comments open'),
  1321: changedPartType('comments closed'),
  1325: changedPartType('trackbacks open'),
  1326: changedPartType('trackbacks closed'),
  1330: { action: 'updated', about: 'excerpt' },
  1335: { action: 'updated', about: 'featured image' },
  1340: actionType('taken_over'),
  1380: changedPartType('parent'),
  1385: changedPartType('name', ['old_name', 'new_name']),
  1390: changedPartType('slug', ['old_slug', 'new_slug']),
  1395: changedPartType('tags'),
  1400: changedPartType('tags'),
  1405: changedPartType('name', ['old_name', 'new_name']),
  1410: changedPartType('slug'),
  1415: changedPartType('description'),
  1455: { context: 'plugin', action: 'edited', about: 'file', values: ['', 'file'] },
  1460: { prefix: 'auto_updates' },
  1465: { context: 'theme', action: 'edited', about: 'file', values: ['', 'file'] },
  1470: { prefix: 'auto_updates' },
  1480: changedPartType('item added'),
  1485: changedPartType('item removed'),
  1495: { action: 'updated', about: 'settings' },
  1500: changedPartType('item'),
  1505: changedPartType('name', ['oldmenuname', 'menuname']),
  1510: changedPartType('order'),
  1515: changedPartType('item moved'),
  1520: actionType('approved'),
  1525: actionType('unapproved'),
  1530: actionType('replied'),
  1535: actionType('edited'),
  1540: actionType('spammed'),
  1545: actionType('unspammed'),
  1550: actionType('trashed'),
  1555: actionType('restored'),
  1600: actionType('password_reset_requested'),
  1615: { action: 'role_changed', values: ['oldrole', 'newrole'] },
  1620: { action: 'role_changed', values: ['oldrole', 'newrole'] },
  1625: actionType('password_changed'),
  1630: actionType('password_changed'),
  1635: changedPartType('e-mail address'),
  1640: changedPartType('e-mail address'),
  1650: changedPartType('made network administrator'),
  1655: changedPartType('no longer network administrator'),
  1660: actionType('created'),
  1670: actionType('created'),
  1685: changedPartType('profile field'),
  1690: changedPartType('profile field'),
  1695: changedPartType('first name'),
  1700: changedPartType('last name'),
  1705: changedPartType('nickname'),
  1710: changedPartType('display name'),
  1715: changedPartType('website'),
  1720: { action: 'updated', about: 'application password added' },
  1721: { action: 'updated', about: 'application password removed' },
  1725: { action: 'updated', about: 'application password added' },
  1726: { action: 'updated', about: 'application password removed' },
  1730: changedPartType('application passwords'),
  1735: changedPartType('application passwords'),
  1785: changedPartType('Anyone can register'),
  1790: changedPartType('Default role of new users', ['oldrole', 'newrole']),
  1795: changedPartType('E-mail address of the administrator'),
  1800: changedPartType('Permalinks', ['oldpattern', 'newpattern']),
  1805: changedPartType('Discourage search engines'),
  1810: changedPartType('Comments on new posts'),
  1815: changedPartType('Comment author must give name and e-mail'),
  1820: changedPartType('Only registered users may comment'),
  1825: changedPartType('Close comments after some days'),
  1830: changedPartType('Days until comments close', ['oldvalue', 'newvalue']),
  1835: changedPartType('Comments are approved by hand'),
  1840: changedPartType('Comment author needs an approved comment'),
  1845: changedPartType('Links that hold a comment back', ['oldvalue', 'newvalue']),
  1850: changedPartType('Words that hold a comment back'),
  1855: changedPartType('Words that are not allowed in comments'),
  1860: changedPartType('WordPress address'),
  1865: changedPartType('Site address'),
  1870: changedPartType('What the front page shows'),
  1875: changedPartType('Front page'),
  1880: changedPartType('Posts page'),
  1885: changedPartType('Timezone', ['old_timezone', 'new_timezone']),
  1890: changedPartType('Date format', ['old_date_format', 'new_date_format']),
  1895: changedPartType('Time format', ['old_time_format', 'new_time_format']),
  1900: changedPartType('Automatic updates'),
  1905: changedPartType('Language'),
  1910: changedPartType('Site title', ['previous_value', 'new_value']),
};

const CONTEXTS: Readonly<Record<string, string>> = { plugins: 'plugin', themes: 'theme', core: 'wordpress' };

/** Context of posts of other types, such as products. Reports do not count them as posts. */
export const CUSTOM_POST_CONTEXT = 'custom_post';

export const normalizeLogContext = (word: string, postType = ''): string => {
  const context = word.replaceAll('-', '_');
  if (context === 'post' && postType !== '' && postType !== 'post')
    return postType === 'page' ? 'page' : CUSTOM_POST_CONTEXT;
  return Object.hasOwn(CONTEXTS, context) ? (CONTEXTS[context] ?? context) : context;
};

const ACTIONS: Readonly<Record<string, string>> = { modified: 'updated', logined_in: 'logged_in' };

export const normalizeLogAction = (word: string, type?: ChangesLogType): string => {
  const spelled = word.replaceAll('-', '_');
  const action = type?.action ?? (Object.hasOwn(ACTIONS, spelled) ? (ACTIONS[spelled] ?? spelled) : spelled);
  return type?.prefix ? `${type.prefix}_${action}` : action;
};
