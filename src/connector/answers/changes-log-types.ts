/**
 * Type of a record. Most records in the child's changes log contain only a word for the action and the number of the
 * type. Some contain the old and the new value, under keys that differ from type to type.
 */
export interface ChangesLogType {
  /**
   * `context` and `action` replace less specific ones of the child. For example, it logs an edited plugin as a file.
   */
  context?: string;
  action?: string;
  prefix?: string;
  about?: string;
  /** Keys of the old and the new value, if these may be shown. The first key is empty if there is no old value. */
  values?: readonly [from: string, to: string];
}

/**
 * Type of a change of the profile field in which the child stores its connection tokens. It changes with each
 * registration.
 */
export const CONNECTION_TYPE: ChangesLogType = { action: 'connection_changed' };
export const FIRST_ROLE_TYPE: ChangesLogType = { action: 'role_given', values: ['', 'newrole'] };

const about = (part: string, values?: readonly [string, string]): ChangesLogType => ({
  about: part,
  ...(values && { values }),
});
const done = (action: string): ChangesLogType => ({ action });

export const CHANGES_LOG_TYPES: Readonly<Record<number, ChangesLogType>> = {
  1205: done('published'),
  1225: done('trashed'),
  1235: about('categories'),
  1240: about('address'),
  1245: about('author', ['oldauthor', 'newauthor']),
  1250: about('status', ['oldstatus', 'newstatus']),
  1255: about('parent'),
  1260: about('template', ['oldtemplate', 'newtemplate']),
  1265: about('made sticky'),
  1270: about('no longer sticky'),
  1275: about('custom field'),
  1280: done('submitted'),
  1285: done('scheduled'),
  1290: about('visibility', ['oldvisibility', 'newvisibility']),
  1295: about('date', ['olddate', 'newdate']),
  1300: about('content'),
  1305: about('title', ['oldtitle', 'newtitle']),
  1320: about('comments open'),
  1321: about('comments closed'),
  1325: about('trackbacks open'),
  1326: about('trackbacks closed'),
  1330: { action: 'updated', about: 'excerpt' },
  1335: { action: 'updated', about: 'featured image' },
  1340: done('taken_over'),
  1380: about('parent'),
  1385: about('name', ['old_name', 'new_name']),
  1390: about('slug', ['old_slug', 'new_slug']),
  1395: about('tags'),
  1400: about('tags'),
  1405: about('name', ['old_name', 'new_name']),
  1410: about('slug'),
  1415: about('description'),
  1455: { context: 'plugin', action: 'edited', about: 'file', values: ['', 'file'] },
  1460: { prefix: 'auto_updates' },
  1465: { context: 'theme', action: 'edited', about: 'file', values: ['', 'file'] },
  1470: { prefix: 'auto_updates' },
  1480: about('item added'),
  1485: about('item removed'),
  1495: { action: 'updated', about: 'settings' },
  1500: about('item'),
  1505: about('name', ['oldmenuname', 'menuname']),
  1510: about('order'),
  1515: about('item moved'),
  1520: done('approved'),
  1525: done('unapproved'),
  1530: done('replied'),
  1535: done('edited'),
  1540: done('spammed'),
  1545: done('unspammed'),
  1550: done('trashed'),
  1555: done('restored'),
  1600: done('password_reset_requested'),
  1615: { action: 'role_changed', values: ['oldrole', 'newrole'] },
  1620: { action: 'role_changed', values: ['oldrole', 'newrole'] },
  1625: done('password_changed'),
  1630: done('password_changed'),
  1635: about('e-mail address'),
  1640: about('e-mail address'),
  1650: about('made network administrator'),
  1655: about('no longer network administrator'),
  1660: done('created'),
  1670: done('created'),
  1685: about('profile field'),
  1690: about('profile field'),
  1695: about('first name'),
  1700: about('last name'),
  1705: about('nickname'),
  1710: about('display name'),
  1715: about('website'),
  1720: { action: 'updated', about: 'application password added' },
  1721: { action: 'updated', about: 'application password removed' },
  1725: { action: 'updated', about: 'application password added' },
  1726: { action: 'updated', about: 'application password removed' },
  1730: about('application passwords'),
  1735: about('application passwords'),
  1785: about('Anyone can register'),
  1790: about('Default role of new users', ['oldrole', 'newrole']),
  1795: about('E-mail address of the administrator'),
  1800: about('Permalinks', ['oldpattern', 'newpattern']),
  1805: about('Discourage search engines'),
  1810: about('Comments on new posts'),
  1815: about('Comment author must give name and e-mail'),
  1820: about('Only registered users may comment'),
  1825: about('Close comments after some days'),
  1830: about('Days until comments close', ['oldvalue', 'newvalue']),
  1835: about('Comments are approved by hand'),
  1840: about('Comment author needs an approved comment'),
  1845: about('Links that hold a comment back', ['oldvalue', 'newvalue']),
  1850: about('Words that hold a comment back'),
  1855: about('Words that are not allowed in comments'),
  1860: about('WordPress address'),
  1865: about('Site address'),
  1870: about('What the front page shows'),
  1875: about('Front page'),
  1880: about('Posts page'),
  1885: about('Timezone', ['old_timezone', 'new_timezone']),
  1890: about('Date format', ['old_date_format', 'new_date_format']),
  1895: about('Time format', ['old_time_format', 'new_time_format']),
  1900: about('Automatic updates'),
  1905: about('Language'),
  1910: about('Site title', ['previous_value', 'new_value']),
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
