/**
 * A help desk's cloud code: who registers first runs it, tickets belong to their authors and to the role of the agents, and
 * what agents do is logged. Written for the tests, after the pattern of a public ticket system.
 */
const master = { useMasterKey: true }
const NEW = 50
const WAITING_CUSTOMER = 160
const CLOSED = 280

const tiny = (user) => ({ objectId: user.id, username: user.get('username') })
const log = (ticket, action, data) => new AV.Object('OpsLog').save({ ticket, action, data }, master)
const demandLogin = (user) => {
  if (!user) throw new AV.Cloud.Error('Log in first.', { status: 401, code: 401 })
}
const isAgent = async (user) =>
  (await new AV.Query(AV.Role).equalTo('name', 'agent').equalTo('users', user).first(master)) !== undefined

AV.Cloud.afterSave('_User', async ({ object }) => {
  if ((await new AV.Query('_User').count(master)) > 1) return
  const acl = new AV.ACL()
  acl.setPublicReadAccess(true)
  acl.setRoleWriteAccess('admin', true)
  const admin = new AV.Role('admin', acl)
  admin.getUsers().add(object)
  await admin.save(null, master)
  const agents = new AV.Role('agent', acl)
  agents.getRoles().add(admin)
  await agents.save(null, master)
})

AV.Cloud.beforeSave('Ticket', async ({ object, currentUser }) => {
  demandLogin(currentUser)
  if (!object.get('title')?.trim()) throw new AV.Cloud.Error('A ticket has a title.')
  const acl = new AV.ACL()
  acl.setReadAccess(currentUser, true)
  acl.setWriteAccess(currentUser, true)
  acl.setRoleReadAccess('agent', true)
  acl.setRoleWriteAccess('agent', true)
  object.setACL(acl)
  object.set('author', currentUser)
  object.set('status', NEW)
  object.set('assignee', await chooseAgent(object.get('category')))
})

AV.Cloud.afterSave('Ticket', async ({ object, currentUser }) => {
  const ticket = await object.fetch({ include: 'assignee' }, { user: currentUser })
  await log(object, 'assign', { assignee: tiny(ticket.get('assignee')) })
})

AV.Cloud.beforeUpdate('Ticket', async ({ object }) => {
  if (!object.updatedKeys.includes('assignee')) return
  const away = await onVacation()
  if (away.some((agent) => agent.id === object.get('assignee').id)) throw new AV.Cloud.Error('This agent is away.')
})

AV.Cloud.afterUpdate('Ticket', async ({ object, currentUser }) => {
  if (object.updatedKeys.includes('status') && object.get('status') === CLOSED)
    await AV.Cloud.run('countTicket', { ticketId: object.id })
  if (object.updatedKeys.includes('assignee')) {
    const assignee = await object.get('assignee').fetch({}, master)
    await log(object, 'reassign', { assignee: tiny(assignee), operator: tiny(currentUser) })
  }
})

AV.Cloud.beforeSave('Reply', async ({ object, currentUser }) => {
  demandLogin(currentUser)
  const ticket = await object.get('ticket').fetch({ include: 'author' }, { user: currentUser })
  const acl = new AV.ACL()
  acl.setReadAccess(currentUser, true)
  acl.setWriteAccess(currentUser, true)
  acl.setReadAccess(ticket.get('author'), true)
  acl.setRoleReadAccess('agent', true)
  object.setACL(acl)
  object.set('author', currentUser)
  object.set('byAgent', ticket.get('author').id !== currentUser.id && (await isAgent(currentUser)))
})

AV.Cloud.afterSave('Reply', async ({ object, currentUser }) => {
  const ticket = object.get('ticket')
  ticket.increment('replyCount', 1)
  ticket.set('latestReply', { author: tiny(currentUser), content: object.get('content') })
  if (object.get('byAgent')) {
    ticket.addUnique('joined', tiny(currentUser))
    ticket.set('status', WAITING_CUSTOMER)
  }
  await ticket.save(null, { user: currentUser })
})

AV.Cloud.define('closeTicket', async ({ params, currentUser }) => {
  demandLogin(currentUser)
  const ticket = await new AV.Query('Ticket').get(params.ticketId, { user: currentUser })
  ticket.set('status', CLOSED)
  await ticket.save(null, { user: currentUser })
  await log(ticket, 'close', { operator: tiny(currentUser) })
  return { closedBy: currentUser.get('username') }
})

AV.Cloud.define('whoAmI', { fetchUser: false }, ({ currentUser, sessionToken }) => ({
  user: currentUser?.id ?? null,
  hasToken: Boolean(sessionToken),
}))

AV.Cloud.define('countTicket', { internal: true }, async ({ params }) => {
  const ticket = AV.Object.createWithoutData('Ticket', params.ticketId)
  const replies = await new AV.Query('Reply').equalTo('ticket', ticket).count(master)
  await new AV.Object('TicketStats').save({ ticket, replies }, master)
})

async function chooseAgent(category) {
  const role = await new AV.Query(AV.Role).equalTo('name', 'agent').first()
  const away = (await onVacation()).map((agent) => agent.id)
  const agents = (query) => (away.length > 0 ? query.notContainedIn('objectId', away) : query).find(master)
  const [fitting] = await agents(role.getUsers().query().equalTo('categories.objectId', category.objectId))
  if (fitting) return fitting
  const [anyone] = await agents(role.getUsers().query())
  return anyone
}

async function onVacation() {
  const now = new Date()
  const vacations = await new AV.Query('Vacation').lessThan('start', now).greaterThan('end', now).find(master)
  return vacations.map((vacation) => vacation.get('agent'))
}
