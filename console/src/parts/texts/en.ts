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
  outside: 'Open from {{host}} in a new tab',
  unshown: 'This content cannot be shown.',
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
  entry: {
    empty: 'Enter a value first.',
    rules: {
      number: 'Enter a number in digits, such as 12, -3.5 or 1e6.',
      digits: 'A Number keeps about 16 digits, and this one would be stored as another. Use a String for longer ones.',
      integer: 'Enter a whole number in digits, such as 12.',
      atLeast: 'Enter a number of at least {{min}}.',
      between: 'Enter a number from {{min}} to {{max}}.',
      boolean: 'Enter true or false.',
      time: 'Complete the date and the time, such as 2026-01-31 08:30.',
      noSuchTime: 'There is no such date or time.',
      isoTime: 'Enter a time in ISO 8601, such as 2026-01-31T08:30:00Z.',
      geoPoint: 'Enter the longitude from -180 to 180 and the latitude from -90 to 90, such as 116.4 39.9.',
      place: 'Enter both latitude and longitude.',
      objectId: 'Enter an objectId: 1 to 128 letters, digits, - and _.',
      base64: 'Enter base64 without white space; its length is a multiple of 4, such as aGVsbG8=.',
      json: 'Enter valid JSON. Texts and names are in double quotes.',
      object: 'Enter a JSON object, such as {"size": 1}.',
      array: 'Enter a JSON array, such as [1, "two"].',
    },
  },
  outdated: {
    title: 'The console has changed meanwhile',
    about:
      'A part of it could not be loaded, as after an upgrade of the server. Load the page anew; what is not saved yet is lost.',
    reload: 'Load anew',
    missing: 'This page could not be loaded',
  },
}
