import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { call } from '../support/app.ts'
import { makeHome } from '../support/home.ts'
import { runProgram } from '../support/program.ts'
import { newDatabase } from '../support/scratch-database.ts'

const home = makeHome(afterAll)
const keys = { HOMEPORT_APP_ID: 'blog', HOMEPORT_APP_KEY: 'key-of-the-blog', HOMEPORT_MASTER_KEY: 'master-of-the-blog' }
const server = await home.start(['--database-url', await newDatabase()], keys)
const run = (...args: string[]) => runProgram(['class', ...args, '--data', home.data])
const json = async (...args: string[]) => JSON.parse((await run(...args, '--json')).stdout)
const headers = { 'x-lc-id': 'blog', 'x-lc-key': keys.HOMEPORT_APP_KEY, 'content-type': 'application/json' }
const request = (method: string, path: string, body?: object) =>
  call(server.url, method, `/1.1/classes/${path}`, headers, body)

describe('homeport class', { timeout: 120_000 }, () => {
  test('create makes a class a blog can count in at once', async () => {
    expect((await request('GET', 'Counter')).body.code).toBe(101)
    const { code, stdout, stderr } = await run('create', 'Counter')
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toContain('Class        Counter')
    expect((await request('GET', 'Counter')).body).toEqual({ results: [] })
    const { body } = await request('POST', 'Counter', { url: '/a', title: 'A', time: 1 })
    await request('PUT', `Counter/${body.objectId}`, { time: { __op: 'Increment', amount: 1 } })
    expect((await request('GET', `Counter/${body.objectId}`)).body.time).toBe(2)
  })

  test('create accepts fields with options, permissions, a default ACL and indexes', async () => {
    const made = await json(
      'create',
      'Post',
      ...['--field', 'url:String,required', '--field', 'author:Pointer:_User,comment=who, and when'],
      ...['--field', 'tags:Array,hidden,default=["a","b"]', '--field', 'score:Number,readOnly,default=0'],
      ...['--permission', 'all=master', '--permission', 'find=public'],
      ...['--permission', 'update=role:editor,user:5f0000000000000000000001'],
      ...['--default-acl', '{"_owner":{"read":true,"write":true}}'],
      ...['--unique', 'url', '--index', 'author,-score'],
    )
    expect(made).toEqual({
      className: 'Post',
      fields: {
        url: { type: 'String', required: true },
        author: { type: 'Pointer', className: '_User', comment: 'who, and when' },
        tags: { type: 'Array', hidden: true, default: ['a', 'b'] },
        score: { type: 'Number', readOnly: true, default: 0 },
      },
      permissions: {
        create: 'master',
        find: 'public',
        get: 'master',
        update: { users: ['5f0000000000000000000001'], roles: ['editor'] },
        delete: 'master',
        addField: 'master',
      },
      defaultAcl: { _owner: { read: true, write: true } },
      indexes: ['unique url', 'author,-score'],
    })
    expect(await json('show', 'Post')).toEqual(made)
    const { stdout } = await run('show', 'Post')
    expect(stdout).toMatch(/^Field +author +Pointer:_User,comment=who, and when$/m)
    expect(stdout).toMatch(/^Field +score +Number,readOnly,default=0$/m)
    expect(stdout).toMatch(/^Permission +find +public$/m)
    expect(stdout).toMatch(/^Index +unique url$/m)
  })

  test('set changes only the named options; list names all', async () => {
    await run('create', 'Talk', '--field', 'text:String,required', '--permission', 'delete=master')
    const { fields, permissions } = await json(
      'set',
      'Talk',
      '--field',
      'text,required=false,hidden=results',
      '--field',
      'at:Date',
    )
    expect(fields).toEqual({ text: { type: 'String', hidden: 'results' }, at: { type: 'Date' } })
    expect(permissions).toMatchObject({ delete: 'master', find: 'public' })
    const { stdout } = await run('list')
    expect(stdout).toMatch(/^Talk +text, at$/m)
    expect(stdout).toMatch(/^_User /m)
  })

  test.each<[what: string, args: string[], code: number, line: RegExp]>([
    ['a class that exists', ['create', '_User'], 1, /^homeport: The class '_User' already exists\.$/],
    ['a class that does not', ['set', 'Misspelt', '--field', 'a:String'], 1, /Misspelt/],
    ['a wrong type', ['create', 'Wrong', '--field', 'a:Text'], 1, /fields\.a\.type/],
    ['a field that is none', ['create', 'Wrong', '--field', 'a:b:c:d'], 2, /name:Type/],
    ['a wrong option', ['create', 'Wrong', '--field', 'a:String,secret'], 2, /option 'secret' must be required/],
    ['a default that is no JSON', ['create', 'Wrong', '--field', 'a:String,default=x'], 2, /double quotes/],
    ['a wrong operation', ['create', 'Wrong', '--permission', 'read=public'], 2, /operation 'read' must be create/],
    ['a wrong permission', ['create', 'Wrong', '--permission', 'find=nobody'], 2, /public, users, master/],
    ['an app that does not exist', ['list', '--app', 'nothing'], 1, /App 'nothing' not found/],
  ])('%s: one clear line', async (_, args, code, line) => {
    const refused = await run(...args)
    expect([refused.code, refused.stdout]).toEqual([code, ''])
    expect(refused.stderr.trimEnd()).toMatch(line)
    expect(refused.stderr.trimEnd().split('\n')).toHaveLength(1)
    expect((await request('GET', 'Wrong')).body.code).toBe(101)
  })
})

describe('homeport class apply', { timeout: 120_000 }, () => {
  const directory = join(home.directory, 'schemas')
  mkdirSync(directory)
  const write = (name: string, content: unknown) => {
    const file = join(directory, name)
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
    return file
  }
  const schema = {
    ACL: { type: 'ACL', default: { _owner: { read: true, write: true } } },
    nickName: { type: 'String', v: 2, required: true },
    email: { type: 'String', hidden: true },
    strange: { type: 'Number', shiny: true },
  }
  const permissions = { find: { '*': false }, add_fields: { users: '', roles: 'administrator' } }
  const indexes = [{ unique: true, sparse: true, key: { email: 1 }, name: 'email_1' }]

  test('creates classes from one file with all or from three, and reports unknown members', async () => {
    // An export begins with a header, with or without a space after the type.
    write('Member_schema.json', `#filetype:JSON-streaming{"type":"Schema"}\n${JSON.stringify(schema)}`)
    write('Member_permissions.json', permissions)
    write('Member_indexes.json', indexes)
    const whole = write('Guest_all.json', { schema, permissions, indexes })
    const dry = await run('apply', directory, '--dry-run')
    expect([dry.code, dry.stderr]).toEqual([0, ''])
    expect(dry.stdout).toMatch(/^Guest: would apply new class; fields nickName, email, strange; .*unique email$/m)
    expect((await request('GET', 'Guest')).body.code).toBe(101)

    const { code, stdout, stderr } = await run('apply', directory)
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(
      /^Member: applied new class; .*; permissions find, addField; default ACL; indexes unique email$/m,
    )
    expect(stdout).toMatch(/^Member: not applied: field strange: unknown option shiny: true$/m)
    const { className, ...member } = await json('show', 'Member')
    expect(member).toEqual({
      fields: {
        nickName: { type: 'String', required: true },
        email: { type: 'String', hidden: 'results' },
        strange: { type: 'Number' },
      },
      permissions: {
        create: 'public',
        find: 'master',
        get: 'public',
        update: 'public',
        delete: 'public',
        addField: { users: [], roles: ['administrator'] },
      },
      defaultAcl: { _owner: { read: true, write: true } },
      indexes: ['unique email'],
    })
    expect(await json('show', 'Guest')).toEqual({ className: 'Guest', ...member })
    expect((await request('POST', 'Member', {})).body.code).toBe(113)
    expect((await request('POST', 'Member', { nickName: 'a', email: 'a' })).status).toBe(201)
    expect((await request('POST', 'Member', { nickName: 'b', email: 'a' })).body.code).toBe(137)

    const again = await run('apply', whole)
    expect(again.stdout).toMatch(/^Guest: nothing to change$/m)
  })

  test('reads <Class>.json as written by leancloud-schema, widens fields to Any, and ignores other JSON files', async () => {
    const folder = join(directory, 'pulled')
    mkdirSync(folder)
    const columns = {
      value: { type: 'Any' },
      owner: { type: 'Pointer', className: '_User' },
      secret: { type: 'String', hidden: true },
    }
    const keys = [
      { key: { 'owner.objectId': 1 }, name: 'owner_1' },
      { key: { 'owner.$id': 1 }, unique: true },
    ]
    writeFileSync(join(folder, 'Config.json'), JSON.stringify({ schema: columns, permissions, indexes: keys }))
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'help-desk', schema: { a: 1 } }))
    writeFileSync(join(folder, 'list.json'), '[]')
    const { body } = await request('POST', 'Config', { value: [1] })
    expect((await request('PUT', `Config/${body.objectId}`, { value: { a: 1 } })).body.code).toBe(111)

    const { code, stdout, stderr } = await run('apply', folder)
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/^Config: applied fields value, owner, secret; .*indexes owner, unique owner$/m)
    expect(stdout.trimEnd().split('\n')).toHaveLength(1)
    expect(await json('show', 'Config')).toMatchObject({
      fields: { value: { type: 'Any' }, secret: { type: 'String', hidden: 'results' } },
      indexes: ['owner', 'unique owner'],
    })
    expect((await request('PUT', `Config/${body.objectId}`, { value: { a: 1 } })).status).toBe(200)
    expect((await run('apply', join(folder, 'Config.json'))).stdout).toMatch(/^Config: nothing to change$/m)
  })

  test('names an index that cannot be built, and applies everything else', async () => {
    for (const name of ['a', 'a']) await request('POST', 'Doubled', { name, size: 1 })
    const files = [
      write('Doubled_schema.json', { name: { type: 'String' }, fresh: { type: 'String' } }),
      write('Doubled_indexes.json', [
        { unique: true, key: { name: 1 } },
        { unique: true, key: { fresh: 1 } },
        { unique: true, key: { subscriptionUri: 1 } },
      ]),
      write('Talk2_schema.json', { schema: { text: { type: 'String' } } }),
    ]
    const first = await run('apply', ...files)
    expect([first.code, first.stdout]).toEqual([1, expect.stringMatching(/^Talk2: applied new class; fields text$/m)])
    expect(first.stderr).toMatch(/^homeport: Doubled: index unique name was not created: .*'name'/m)
    expect(first.stdout).toMatch(
      /^Doubled: not applied: index unique subscriptionUri: the class has no field 'subscriptionUri'$/m,
    )
    const doubled = await json('show', 'Doubled')
    expect(doubled).toMatchObject({ fields: { fresh: { type: 'String' } }, indexes: ['unique fresh'] })
    const other = await run(
      'apply',
      write('Doubled_all.json', { schema: { size: { type: 'String' }, fresh: { type: 'Date' } } }),
    )
    expect(other.stderr.trimEnd()).toBe(
      "homeport: Doubled: not changed: the field 'size' already has the type Number, which cannot be changed to String",
    )
    expect(await json('show', 'Doubled')).toEqual(doubled)
  })

  test.each<[what: string, file: () => string, line: RegExp]>([
    ['another name', () => write('Post.text', {}), /Post\.text: the name must be <Class>\.json, <Class>_schema\.json/],
    [
      'a file of a class without its schema',
      () => write('Plain.json', { a: 1 }),
      /Plain\.json: must contain an object with 'schema'/,
    ],
    ['no JSON', () => write('Post_schema.json', '{'), /Post_schema\.json: /],
    ['no object', () => write('Post_all.json', []), /Post_all\.json: must contain an object/],
    ['a file that does not exist', () => join(directory, 'None_all.json'), /None_all\.json cannot be read/],
  ])('%s: one clear line, and nothing is applied', async (_, file, line) => {
    const refused = await run('apply', write('Early_all.json', {}), file())
    expect([refused.code, refused.stdout]).toEqual([1, ''])
    expect(refused.stderr.trimEnd()).toMatch(line)
    expect((await request('GET', 'Early')).body.code).toBe(101)
  })
})
