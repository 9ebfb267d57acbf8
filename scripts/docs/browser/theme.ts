/** Sets light or dark before the page is shown: the reader's choice, or else that of the system. */
const chosen = localStorage.getItem('theme');
if (chosen) document.documentElement.dataset['theme'] = chosen;
