/** What a pull of an app that runs, and the server behind it, say. */
export const PULLING: { readonly [english: string]: string } = {
  'an id that the source has and that is not here: deleted here, not taken, or new':
    '来源中有而这里没有的 ID：已在这里删除、未能导入，或是新增的',
  'the messages: {}': '聊天消息：{1}',
  'subscribers and lists of conversations: what {} requests asked for has not come: {}':
    '会话的订阅者与名单：有 {1} 个请求没有得到结果：{2}',
  'The passwords and session tokens of users have not come: {}. The API does not show them. Ask the console of the source for an export and say --users <export.tar.gz>; without it users choose new passwords (requestPasswordReset).':
    '用户的密码和 session token 未能迁入：{1}。API 不返回这些数据。请从原应用的控制台导出数据，并在新的迁移任务中上传；否则用户需要重置密码（requestPasswordReset）。',
  'Users come without passwords and session tokens, as was chosen: until a later pull brings these they choose new passwords.':
    '按所选选项，用户的密码和 session token 未迁入：在之后的迁移补上之前，用户需要重置密码。',
  'The leaderboards have not come: {}.': '排行榜未能迁入：{1}。',
  'a leaderboard without a name, members or a version: {}': '缺少名称、成员类型或版本的排行榜：{1}',
  'the leaderboard {}: it is at version {} here, at {} there': '排行榜 {1}：这里的版本为 {2}，来源的版本为 {3}',
  'the leaderboard {}: the source counts {} members and shows {}': '排行榜 {1}：来源有 {2} 个成员，只返回了 {3} 个',
  'the leaderboard {}: {}': '排行榜 {1}：{2}',
  '{} of {} are not at the source, which is more than a fifth: nothing was removed; if that is right, --allow-many-deletions':
    '{2} 个中有 {1} 个不在来源中，超过五分之一，因此没有删除任何数据；如确认无误，请勾选对应选项后重试',
  'the source shows no ACLs, and objects without them would be open to everybody: switch on "return ACL in queries" in the settings of the app there (at Homeport: homeport app set <appId> storage.returnAclInQueries true), or say --without-acl if no object has one':
    '来源不返回 ACL，而没有 ACL 的对象将对所有人开放：请在原应用的设置中开启「查询时返回 ACL」，或者在对象本来就没有 ACL 时勾选对应选项',
  'Its record does not say where its bytes are; name the domain of files with --files-from.':
    '文件记录中没有内容的地址，请填写「文件内容所在地址」。',
  'Its bytes could not be fetched: {}. The next pull tries it again.': '无法获取文件内容：{1}。下次迁入时会重试。',
  'its URL leads to a private address; name it with --files-from if it is right':
    '其 URL 指向内网地址；如确认无误，请填写「文件内容所在地址」',
  'no whole answer ({})': '响应不完整（{1}）',
  "the export of the source has ended with '{}'": '来源的数据导出以「{1}」状态结束',
  'the export of the source takes more than three hours; the next pull looks for it':
    '来源的数据导出超过三小时仍未完成，下次迁入时会再次查看',
  'the source tells of an export without an id': '来源返回的数据导出没有 ID',
  'the export is damaged: {}': '导出文件已损坏：{1}',
  'the export has no users': '导出文件中没有用户',
  'the class {}: no app here has one': 'Class {1}：Homeport 的应用中没有此 Class',
  "the source's /1.1/date has no date in ISO 8601": '来源的 /1.1/date 返回的不是 ISO 8601 日期',
  'the source cannot be reached: {}': '无法连接来源：{1}',
  'the source answers {} to {} {}{}': '来源返回 {1}（{2} {3}{4}）',
  'an answer that is no JSON': '响应不是 JSON',
  '{} (are --source-app and the master key right?)': '{1}（请检查原应用的 AppId 和 MasterKey 是否正确）',
  'a redirect; name its target': '发生重定向，请直接填写目标地址',
  'the source {} {}': '来源 {1} {2}',
  'does not answer ({})': '没有响应（{1}）',
  'answers {}': '返回 {1}',
  'the source cannot be asked for {}: {}': '无法向来源请求 {1}：{2}',
  'the source answers to POST {} with something else than a JSON object': '来源对 POST {1} 返回的不是 JSON 对象',
  'the source answers to GET {} with something else than a JSON object': '来源对 GET {1} 返回的不是 JSON 对象',
  "the source answers to a query of {} without 'results'": "来源对 {1} 的查询结果中没有 'results'",
  "the source answers to a query without 'results'": "来源的查询结果中没有 'results'",
  "the source answers to a query of the leaderboard {} without 'results'":
    "来源对排行榜 {1} 的查询结果中没有 'results'",
  'they cannot be read to their end: of {} messages none has a time (timestamp) and an id (msg-id) that others had not':
    '无法读到最后：这一页的 {1} 条消息都没有新的时间（timestamp）和 ID（msg-id）',
  "the source does not send {} in the order of ids: '{}' behind '{}'":
    '来源没有按 ID 的顺序返回{1}：「{2}」排在「{3}」之后',
  'the objects of {}': ' {1} 的对象',
  'the conversations': '会话',
  'the members of {}.{} of {}': ' {3} 的 {1}.{2} 的成员',
  "the source has sent objects of {} without a valid 'objectId'": "来源返回的 {1} 对象没有有效的 'objectId'",
  "the source answers to a query with more than one 'results'": "来源的查询结果中有多个 'results'",
  'the source sends the same pages of {} again, without an end': '来源反复返回 {1} 的相同页面，没有终点',
  'the source sends the same page of the leaderboard {} again, without an end':
    '来源反复返回排行榜 {1} 的相同页面，没有终点',
  'the source sends more than {} leaderboards': '来源返回了超过 {1} 个排行榜',
  'the source names {} classes; at most {} are read': '来源有 {1} 个 Class，最多读取 {2} 个',
  'the source names {} relations; at most {} are read': '来源有 {1} 个 Relation 字段，最多读取 {2} 个',
  'the relation {}.{}: no field here has such a name': 'Relation {1}.{2}：Homeport 的字段不能使用此名称',
  'the source {} {}: check the address in --from, and whether the source runs':
    '来源 {1} {2}：请检查来源地址是否正确、来源是否在运行',
  'no answer of an API (does --from name its address, without a path?)':
    '不是 API 的响应（请检查来源地址是否正确，且不含路径）',
  'its answer is nested deeper than {} levels': '响应的嵌套超过 {1} 层',
  'its answer has more than {} values': '响应中的值超过 {1} 个',
  'fewer than 1 KB a second': '每秒少于 1 KB',
  'the source answers to a query of messages with something else than a list': '来源对消息的查询返回的不是列表',
  "the source has sent an object without 'objectId'": "来源返回了没有 'objectId' 的对象",
  'the source does not show the object of {} behind {}': '来源没有返回 {1} 中 {2} 之后的对象',
  'the source does not show all members of {}.{} of {}': '来源没有返回 {3} 的 {1}.{2} 的全部成员',
  'the first': '第一个对象',
  '{}; the same command goes on where it was': '{1}；点击「继续」可从断点继续',
  'another import of this source is under way; the same command goes on when that has ended':
    '同一来源的另一个导入正在进行，结束后可以继续',
  '--rewrite-urls: set files.domain of the app, or start the server with --public-url, so that URLs in texts stay':
    '改写 URL：请设置应用的文件域名，或以 --public-url 启动服务器，使文本中的 URL 长期有效',
  "The URLs of '_File' are made of the keys of files: no field of it is rewritten.":
    '_File 的 URL 由文件的 key 生成，不会改写其字段。',
  "'{}' has no field '{}' of texts, lists or objects.": '「{1}」没有文本、列表或对象类型的字段「{2}」。',
  'the import is at another place': '导入的进度已经改变',
  'There is no such import; begin it first.': '没有这个导入任务。',
  'no server answers at {}': '{1} 处没有服务器响应',
  'the server answered {}': '服务器返回 {1}',
  'the connection to {} was lost': '与 {1} 的连接中断',
}
