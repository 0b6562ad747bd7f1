export const partsEn = {
  problem: {
    unreachable: 'The server is not responding',
    unreachableAdvice: 'Check that the server is running and that you are connected, then retry.',
    forbiddenAdvice: 'Your role does not allow this. Ask an owner to change your role.',
    busyAdvice: 'Too many requests. Wait a moment, then retry.',
    brokenAdvice: 'This is a server error. See the server log for details.',
    retry: 'Retry',
  },
  nowhere: {
    title: 'Page not found',
    about: 'The page or app does not exist, or you do not have access to it.',
    home: 'All apps',
  },
  grantees: {
    placeholder: 'Search users and roles by name or ID',
    searching: 'Searching…',
    none: 'No matching user or role.',
  },
  clear: 'Clear',
  outside: 'Open from {{host}} in a new tab',
  unshown: 'This content cannot be displayed.',
  pages: {
    prev: 'Previous page',
    next: 'Next page',
  },
  confirm: {
    delete: 'Delete',
    type: 'Type {{name}} to confirm',
  },
  undo: {
    undo: 'Undo',
    undone: 'Undone',
  },
  entry: {
    empty: 'Enter a value.',
    rules: {
      number: 'Enter a number, such as 12, -3.5 or 1e6.',
      digits:
        'A Number has about 16 significant digits, so this value would change when stored. Use a String for longer numbers.',
      integer: 'Enter an integer, such as 12.',
      atLeast: 'Enter a number of at least {{min}}.',
      between: 'Enter a number from {{min}} to {{max}}.',
      boolean: 'Enter true or false.',
      time: 'Complete the date and the time, such as 2026-01-31 08:30.',
      noSuchTime: 'This date or time does not exist.',
      isoTime: 'Enter a time in ISO 8601, such as 2026-01-31T08:30:00Z.',
      geoPoint: 'Enter the longitude from -180 to 180 and the latitude from -90 to 90, such as 116.4 39.9.',
      place: 'Enter both latitude and longitude.',
      objectId: 'Enter an objectId: 1 to 128 letters, digits, - and _.',
      base64: 'Enter base64 without white space. Its length is a multiple of 4, such as aGVsbG8=.',
      json: 'Enter valid JSON. Strings and keys need double quotes.',
      object: 'Enter a JSON object, such as {"size": 1}.',
      array: 'Enter a JSON array, such as [1, "two"].',
    },
  },
  outdated: {
    title: 'The console was updated',
    about:
      'Part of the console could not be loaded, usually because the server was upgraded. Reload the page. Unsaved changes are lost.',
    reload: 'Reload',
    missing: 'This page could not be loaded',
  },
}
