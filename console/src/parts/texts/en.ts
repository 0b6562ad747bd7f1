export const partsEn = {
  problem: {
    unreachable: 'The server does not answer',
    unreachableAdvice: 'See whether it runs and whether you are connected, then try again.',
    forbiddenAdvice: 'Your role does not allow this. An owner can change that.',
    busyAdvice: 'That was too much at once. Wait a moment, then try again.',
    brokenAdvice: 'This is a fault of the server. Its log says more.',
    retry: 'Try again',
  },
  nowhere: {
    title: 'There is nothing here',
    about: 'The page or the app has gone, or is not one of yours.',
    home: 'All apps',
  },
  grantees: {
    placeholder: 'Search users and roles by name or id',
    searching: 'Searching…',
    none: 'No user or role has such a name.',
  },
  clear: 'Clear',
  pages: {
    prev: 'Page before',
    next: 'Next page',
  },
  confirm: {
    delete: 'Delete',
    type: 'Type {{name}} to go on',
  },
  undo: {
    undo: 'Undo',
    undone: 'Undone',
  },
  outdated: {
    title: 'The console has changed meanwhile',
    about:
      'A part of it could not be loaded, as after an upgrade of the server. Load the page anew; what is not saved yet is lost.',
    reload: 'Load anew',
    missing: 'This page could not be loaded',
  },
}
