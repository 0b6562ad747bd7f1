/**
 * What a comment system has in its cloud code: it refuses what is no comment, marks spam, and mails to the blogger and to
 * whoever is answered. Written for the tests, after the pattern of those who administer Valine.
 */
const nodemailer = require('nodemailer')

AV.Cloud.useMasterKey()
const transport = nodemailer.createTransport(process.env.SMTP_URL)
const mail = (to, subject, text) => transport.sendMail({ from: 'blog@example.org', to, subject, text })

AV.Cloud.beforeSave('Comment', ({ object, meta }) => {
  if (!object.get('comment')?.trim()) throw new AV.Cloud.Error('A comment has words.')
  object.set('ip', meta.remoteAddress)
})

AV.Cloud.afterSave('Comment', async ({ object }) => {
  if (/casino/i.test(object.get('comment'))) {
    object.set('isSpam', true)
    await object.save()
    return
  }
  await notify(object)
})

AV.Cloud.afterUpdate('Comment', ({ object }) => {
  console.log(`changed: ${object.updatedKeys.join()}`)
})

/** Run by a schedule: what could not be mailed is mailed now. */
AV.Cloud.define('resend', async () => {
  const yesterday = new Date(Date.now() - 86_400_000)
  const missed = await new AV.Query('Comment')
    .notEqualTo('isNotified', true)
    .notEqualTo('isSpam', true)
    .greaterThan('createdAt', yesterday)
    .limit(200)
    .find()
  await Promise.all(missed.map(notify))
  return missed.length
})

async function notify(comment) {
  const words = comment.get('comment')
  await mail(process.env.BLOGGER, `${comment.get('nick')} commented`, words)
  if (comment.get('pid')) {
    const answered = await new AV.Query('Comment').get(comment.get('pid'))
    await mail(answered.get('mail'), `${comment.get('nick')} answered you`, `${answered.get('comment')} -> ${words}`)
  }
  comment.set('isNotified', true)
  await comment.save()
}
