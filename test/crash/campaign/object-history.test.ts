import { describe, expect, it } from 'vitest'
import { differencesOfObjects, ObjectHistory, type StoredObjects } from './object-history.ts'

/** Returns an example of every kind of write, with its correct stored form. */
function example(): { history: ObjectHistory; stored: StoredObjects } {
  const history = new ObjectHistory()
  history.create('kept', 'done', 'k')
  history.create('perhaps', 'unknown', null)
  history.create('refused', 'refused', null)
  history.create('deleted', 'done', 'd')
  history.delete('deleted', 'done')
  history.create('perhaps deleted', 'done', 'p')
  history.delete('perhaps deleted', 'unknown')
  history.increment('c', 'one', { amount: 1, outcome: 'done' })
  history.increment('c', 'two', { amount: 2, outcome: 'unknown' })
  history.increment('c', 'three', { amount: 3, outcome: 'refused' })
  history.version('v', 4, 5)
  history.addMember('m', 'done')
  history.addMember('n', 'unknown')
  history.claim('name', 'first', 'done')
  history.claim('name', 'second', 'refused')
  history.claim('other', 'first', 'unknown')
  return {
    history,
    stored: {
      notes: [{ id: 'k', text: 'kept' }],
      counters: [{ id: 'c', total: 1, operations: ['one'] }],
      versions: [{ id: 'v', version: 4 }],
      members: ['m'],
      names: [{ name: 'name', owner: 'first' }],
    },
  }
}

describe('differencesOfObjects', () => {
  it('reports nothing when every confirmed write exists once, whatever happened to unconfirmed writes', () => {
    const { history, stored } = example()
    expect(differencesOfObjects(history, stored)).toEqual([])
    const more: StoredObjects = {
      notes: [...stored.notes, { id: 'x', text: 'perhaps' }, { id: 'p', text: 'perhaps deleted' }],
      counters: [{ id: 'c', total: 3, operations: ['two', 'one'] }],
      versions: [{ id: 'v', version: 5 }],
      members: ['n', 'm'],
      names: [...stored.names, { name: 'other', owner: 'first' }],
    }
    expect(differencesOfObjects(history, more)).toEqual([])
  })

  it.each<[string, Partial<StoredObjects>, RegExp]>([
    ['lost', { notes: [] }, /'kept' was acknowledged as k and is gone/],
    [
      'made twice',
      {
        notes: [
          { id: 'k', text: 'kept' },
          { id: 'l', text: 'kept' },
        ],
      },
      /'kept' is there 2 times/,
    ],
    ['of another id', { notes: [{ id: 'l', text: 'kept' }] }, /was acknowledged as k and is l/],
    ['perhaps made twice', { notes: [{ id: 'k', text: 'kept' }, ...twice('perhaps')] }, /'perhaps' is there 2 times/],
    [
      'refused and made',
      {
        notes: [
          { id: 'k', text: 'kept' },
          { id: 'r', text: 'refused' },
        ],
      },
      /was refused and is there/,
    ],
    [
      'back again',
      {
        notes: [
          { id: 'k', text: 'kept' },
          { id: 'd', text: 'deleted' },
        ],
      },
      /was deleted and is there/,
    ],
    [
      'of nobody',
      {
        notes: [
          { id: 'k', text: 'kept' },
          { id: 'z', text: 'z' },
        ],
      },
      /nobody made the object 'z'/,
    ],
  ])('reports an object that is %s', (_, change, difference) => check(change, difference))

  it.each<[string, Partial<StoredObjects>, RegExp]>([
    ['lost', { counters: [{ id: 'c', total: 0, operations: [] }] }, /increment one of c was acknowledged and is gone/],
    ['made twice', { counters: [{ id: 'c', total: 2, operations: ['one', 'one'] }] }, /was made 2 times/],
    ['made though refused', { counters: [{ id: 'c', total: 4, operations: ['one', 'three'] }] }, /refused and is made/],
    ['half made', { counters: [{ id: 'c', total: 3, operations: ['one'] }] }, /is 3, and its increments are 1/],
    ['gone with its object', { counters: [] }, /the counter c is gone/],
  ])('reports an increment that is %s', (_, change, difference) => check(change, difference))

  it.each<[string, Partial<StoredObjects>, RegExp]>([
    ['a version that got lost', { versions: [{ id: 'v', version: 3 }] }, /is 3, not 4 or 5/],
    ['a member that got lost', { members: [] }, /member m was acknowledged and is gone/],
    ['a member that is there twice', { members: ['m', 'm'] }, /is there 2 times/],
    ['a name that got lost', { names: [] }, /was given to first and belongs to nobody/],
    ['a name of the wrong one', { names: [{ name: 'name', owner: 'second' }] }, /refused to second, who has it/],
    ['a name of two', { names: ['first', 'second'].map((owner) => ({ name: 'name', owner })) }, /is there 2 times/],
  ])('reports %s', (_, change, difference) => check(change, difference))
})

function check(change: Partial<StoredObjects>, difference: RegExp): void {
  const { history, stored } = example()
  const differences = differencesOfObjects(history, { ...stored, ...change })
  expect(differences.join('\n')).toMatch(difference)
}

function twice(text: string): { id: string; text: string }[] {
  return ['1', '2'].map((id) => ({ id, text }))
}
