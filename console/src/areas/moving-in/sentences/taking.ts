/** Why records are not taken, and what is changed on the way. */
export const TAKING: { readonly [english: string]: string } = {
  'a number out of range (NaN, Infinity), stored as null': '超出范围的数字（NaN、Infinity），已存为 null',
  "a value with an unknown '__type', stored as null": "'__type' 无法识别的值，已存为 null",
  'a value nested deeper than {} levels, stored as null': '嵌套超过 {1} 层的值，已存为 null',
  "a key with '$' or '.', left out": "包含 '$' 或 '.' 的键，已略去",
  'an invalid Relation, left out': '无效的 Relation，已略去',
  'an invalid {}, stored as null': '无效的 {1}，已存为 null',
  '{}. --strict refuses the record.': '{1}。已按所选选项拒绝该记录。',
  'field _id: an id that can be no objectId, so that the object has a new one':
    '字段 _id：不能用作 objectId，已为对象生成新的 ID',
  'field {}: an invalid Date, replaced by the other time of the object or that of the import':
    '字段 {1}：无效的 Date，已改用对象的另一个时间或导入的时间',
  'field ACL: an invalid entry, left out, so that it grants nothing': '字段 ACL：无效的条目，已略去，不授予任何权限',
  'a text with a NUL or half of a surrogate pair, each replaced by U+FFFD':
    '文本包含 NUL 字符或不完整的代理对，已替换为 U+FFFD',
  'A text holds a NUL or half of a surrogate pair, which cannot be stored. --strict refuses the record.':
    '文本包含无法存储的 NUL 字符或不完整的代理对。已按所选选项拒绝该记录。',
  'It holds bytes that are no text of the encoding {}; say the right one with --encoding.':
    '其中有些字节不是 {1} 编码的文本，请用命令行选项 --encoding 指明正确的编码。',
  'further notes': '其他说明',
  'further reasons': '其他原因',
  'The line': '该行',
  'The message': '该消息',
  'An archive': '归档',
  'The line must be a JSON object.': '该行必须是 JSON 对象。',
  'The message must be a JSON object.': '该消息必须是 JSON 对象。',
  '{} must be a JSON object.': '{1}必须是 JSON 对象。',
  '{} is no valid JSON.': '{1}不是有效的 JSON。',
  '{} is nested deeper than {} levels.': '{1}的嵌套超过 {2} 层。',
  '{} has more than {} values; send it in parts.': '{1}包含的值超过 {2} 个，请分批处理。',
  'An object id is 1 to 128 letters and digits, not {}.': '对象 ID 由 1 至 128 个字母和数字组成，而不是 {1}。',
  "The number of '{}' is out of range.": '「{1}」的数字超出范围。',
  "'{}…' is nested deeper than {} levels.": '「{1}…」的嵌套超过 {2} 层。',
  "'{}' is no JSON value.": '「{1}」不是 JSON 值。',
  "The Relation of '{}' needs a 'className'.": "「{1}」的 Relation 缺少 'className'。",
  "'{}' has the unknown __type {}; it may be Date, Bytes, Pointer, Relation, File or GeoPoint.":
    '「{1}」的 __type {2} 无法识别，可以是 Date、Bytes、Pointer、Relation、File 或 GeoPoint。',
  "The Date of '{}' needs 'iso' in the form {}.": '「{1}」的 Date 缺少格式为 {2} 的 iso。',
  "The Bytes of '{}' need 'base64', standard base64 without white space.":
    "「{1}」的 Bytes 缺少 'base64'，须为不含空白的标准 base64。",
  "The Pointer of '{}' needs 'className' and 'objectId'.": "「{1}」的 Pointer 缺少 'className' 或 'objectId'。",
  "The File of '{}' needs 'id', the objectId of a file record.": "「{1}」的 File 缺少 'id'（文件记录的 objectId）。",
  "The GeoPoint of '{}' needs 'latitude' and 'longitude' as numbers.":
    "「{1}」的 GeoPoint 缺少数字形式的 'latitude' 或 'longitude'。",
  "The latitude of '{}' must be from -90.0 to 90.0.": '「{1}」的纬度必须在 -90.0 到 90.0 之间。',
  "The longitude of '{}' must be from -180.0 to 180.0.": '「{1}」的经度必须在 -180.0 到 180.0 之间。',
  'The ACL must be an object such as {"*":{"read":true}}.': 'ACL 必须是 {"*":{"read":true}} 这样的对象。',
  "The key '{}' is neither '*', a user's objectId, nor 'role:<name>'.":
    "键「{1}」既不是 '*'，也不是用户的 objectId 或 'role:<角色名>'。",
  "The permissions of '{}' must be an object with 'read' or 'write'.":
    "「{1}」的权限必须是包含 'read' 或 'write' 的对象。",
  "The permissions of '{}' may be 'read' and 'write', each true.":
    "「{1}」的权限只能是值为 true 的 'read' 和 'write'。",
  "Invalid value type for field '{}',expect type is {},but it is '{}'.": '字段「{1}」的类型应为 {2}，实际为 {3}。',
  "fields: the class '{}' has no field '{}'; give its 'type'.": 'Class「{1}」没有字段「{2}」，需要给出类型。',
  "fields.{}.userPrivate: only fields of '_User' belong to a user.":
    '字段 {1}：只有 _User 的字段可以设为「仅用户本人可见」。',
  'fields.{}: no field can have this name, which means something else in every object.':
    '字段 {1}：这个名称在所有对象中另有含义，不能用作字段名。',
  'fields.{}.autoIncrement: needs a Number without a default.': '字段 {1}：自增字段必须是没有默认值的 Number。',
  'fields.{}: a Relation may be hidden or have a comment, nothing else.':
    '字段 {1}：Relation 只能隐藏或添加备注，不支持其他选项。',
  'fields.{}.default: must be a value of the type {}.': '字段 {1}：默认值必须是类型 {2} 的值。',
  'those who only look': '只能查看的人',
  "The field '{}' of the class '{}' is not open to {}.": 'Class「{2}」的字段「{1}」不对{3}开放。',
  'A class may have {} fields.': '一个 Class 最多有 {1} 个字段。',
  "'authData' must be an object with a member for each platform; null or 'authData.<platform>': {'__op': 'Delete'} unlinks one.":
    "'authData' 必须是以平台名为键的对象。",
  "'authData' may name {} platforms in one request.": "'authData' 最多包含 {1} 个平台。",
  "'authData.{}' must be an object, or null to unlink it.": "'authData.{1}' 必须是对象。",
  "The 'password' of an exported user must be 64 bytes in base64.": '导出用户的密码哈希必须是 base64 编码的 64 字节。',
  "The 'salt' of an exported user must be Unicode text.": '导出用户的盐值必须是有效的 Unicode 文本。',
  'An object may have 16 MB.': '单个对象最大 16 MB。',
  "Linked id missing from request. authData.{} needs '{}' as a text: a number beyond 2^53 loses digits.":
    'authData.{1} 的「{2}」须为文本：超过 2^53 的数字会丢失精度。',
  'An operation cannot be applied: {}.': '操作无法执行：{1}。',
  'An operation met a value of another type, or a number out of range.': '值的类型不符，或数字超出范围。',
  'A text holds characters that cannot be stored.': '文本中包含无法存储的字符。',
  'The value of $regex is no valid regular expression.': '$regex 的值不是有效的正则表达式。',
  'The key is too long: the value of an indexed field may have about 2000 bytes.':
    '值过长：有索引的字段的值最长约 2000 字节。',
  'The condition is nested too deeply.': '条件嵌套过深。',
  'the database takes no writes: it is the standby of another one, or was made read-only':
    '数据库不可写入：它是备库，或被设为只读',
  'no more connections allowed': '数据库连接数已达上限',

  'an empty {}, which is left out': '空的 {1}，已忽略',
  "a member '{}', which is left out: no field can have this name": '成员「{1}」不能用作字段名，已忽略',
  "'{}' must be a date such as '2026-01-31T00:00:00.000Z'.": "「{1}」必须是 '2026-01-31T00:00:00.000Z' 这样的日期。",
  'an empty ACL: only the master key reads and writes the object': '空的 ACL：只有 MasterKey 可以读写该对象',
  'a password in an unknown form: the user has to reset it': '无法识别的密码格式：用户需要重置密码',
  'A role of this name is here already.': '同名角色已存在。',
  'A conversation with this uniqueId is here already.': '已有相同 uniqueId 的对话。',
  'The role of this member of the conversation is here already.': '该对话成员的角色已存在。',
  'A device with this installationId is here already.': '已有相同 installationId 的设备。',
  'A device with this deviceToken is here already.': '已有相同 deviceToken 的设备。',
  'The session token is that of another user here.': '该 session token 已属于这里的另一个用户。',
  'An account of another platform is linked to another user here.': '该第三方账号已关联这里的另一个用户。',
  'It holds something that cannot be stored, such as a time before the year 1.':
    '其中包含无法存储的内容，例如公元 1 年之前的时间。',
  "It is not known objects of which class are in '{}' of '{}': say --relation {}.{}:<Class>.":
    '不知道「{2}」的「{1}」中是哪个 Class 的对象，请用命令行选项 --relation {3}.{4}:<Class> 指明。',

  "'{}' must not be empty.": '「{1}」不能为空。',
  "'thread' must be the conversation, or <conversation>:<client>.": "'thread' 必须是对话，或 <对话>:<客户端>。",
  "'{}' is missing; it must be {}.": '缺少「{1}」，它必须是{2}。',
  "'{}' must be {}.": '「{1}」必须是{2}。',
  'a text of at most {} characters': '不超过 {1} 个字符的文本',
  'a time in milliseconds{}': '以毫秒表示的时间{1}',
  ' that is over': '（且已过去）',
  'a list of texts': '文本列表',
  'an object': '对象',
  "The conversation is not here that 'conv-id' or 'to' names; import the conversations first.":
    "'conv-id' 或 'to' 所指的对话不存在，请先导入对话。",

  "'{}' must be one of {}, unlike {}.": '「{1}」必须是 {2} 之一，而不是 {3}。',
  "'statisticName' must be 1 to 100 letters, digits, '_' and '-', unlike {}.":
    "'statisticName' 由 1 至 100 个字母、数字、'_' 和 '-' 组成，而不是 {1}。",
  "'version' must be a whole number from 0 to {}, unlike {}.": "'version' 必须是 0 到 {1} 的整数，而不是 {2}。",
  "'value' must be a number below {}, unlike {}.": "'value' 必须是小于 {1} 的数字，而不是 {2}。",
  "'{}' must be a date in ISO 8601, unlike {}.": '「{1}」必须是 ISO 8601 格式的日期，而不是 {2}。',
  "'archives' must be a list of {} archives at most.": "'archives' 必须是最多 {1} 项的列表。",
  "'archives' must be of versions before the current one, one of each.":
    "'archives' 必须是当前版本之前的版本，每个版本一项。",
  "'file_key' of an archive must be the key of its file.": "归档的 'file_key' 必须是其文件的 key。",
  'An app may have {} leaderboards.': '一个应用最多有 {1} 个排行榜。',
  "The leaderboard '{}' that is here has the same objectId.": '这里的排行榜「{1}」的 objectId 相同。',
  "The leaderboard '{}' that is here has members of {}, in {} order; this one has members of {}, in {} order.":
    '这里的排行榜「{1}」的成员类型为 {2}、顺序为 {3}，而导入的排行榜的成员类型为 {4}、顺序为 {5}。',
  "The leaderboard '{}' that is here has members of {}, in {} order; that of the source has members of {}, in {} order.":
    '这里的排行榜「{1}」的成员类型为 {2}、顺序为 {3}，而来源中的成员类型为 {4}、顺序为 {5}。',
  "There is no leaderboard '{}' of {} with the version {} here, or its values are in an archive alone.":
    '这里没有成员类型为 {2}、版本为 {3} 的排行榜「{1}」，或其成绩仅存于归档中。',
  "'entries' must be a list of {} entries at most.": "'entries' 必须是最多 {1} 项的列表。",
  "Each of 'entries' must be a list of a number, the id of a status, and true or false.":
    "'entries' 的每一项必须依次为数字、状态 ID 和 true 或 false。",
  "'{}' must have whole numbers from {} to {}.": '「{1}」必须是 {2} 到 {3} 的整数。',
  "'ids' must be a list of {} ids at most.": "'ids' 必须是最多 {1} 个 ID 的列表。",
  "'key' must be a text of 1 to {} characters.": "'key' 必须是 1 至 {1} 个字符的文本。",

  "Missing or invalid classname. Classnames are case-sensitive. They must start with a letter, and a-zA-Z0-9_ are the only valid characters. The class is: '{}'.":
    'Class 名缺失或无效：必须以字母开头，只能包含 a-zA-Z0-9_，区分大小写。Class 为「{1}」。',
  'Missing object id.': '缺少对象 ID。',
  'Missing object id. {}': '对象 ID 缺失或无效：{1}',
  "Invalid key name. Keys are case-sensitive and 'a-zA-Z0-9_' are the only valid characters. The column is: '{}'.":
    '字段名无效：只能包含 a-zA-Z0-9_，区分大小写。字段为「{1}」。',
  'Malformed pointer. Pointers must be arrays of a classname and an object id. {}': 'Pointer 格式不正确：{1}',
  'Malformed json object. A json dictionary is expected.': 'JSON 对象格式不正确。',
  'Malformed json object. A json dictionary is expected. {}': 'JSON 格式不正确：{1}',
  'Field set to incorrect type. {}': '字段类型不正确：{1}',
  "Key is required. The column is: '{}'.": '缺少必填字段「{1}」。',
  'The object is too large. {}': '对象过大：{1}',
  "The key is read only. The column is: '{}'.": '字段「{1}」只读。',
  "Keys in NSDictionary values may not include '$' or '.'. The key is: '{}'.": "对象的键不能包含 '$' 或 '.'：「{1}」。",
  'Invalid ACL. An ACL with an invalid format was saved. This should not happen if you use AVACL. {}': 'ACL 无效：{1}',
  'Invalid relation data. {}': 'Relation 数据无效：{1}',
  'A unique field was given a value that is already taken.': '唯一字段的值已被占用。',
  'A unique field was given a value that is already taken. {}': '唯一字段的值已被占用：{1}',
  'Exceeded an application threshold setting. {}': '超出应用的限额：{1}',
  'Username has already been taken.': '用户名已被占用。',
  'Email has already been taken.': '邮箱已被占用。',
  'Mobile phone number has already been taken.': '手机号已被占用。',
  "Linked id missing from request. authData.{} needs '{}', a text.":
    "缺少第三方账号的 ID：authData.{1} 需要文本 '{2}'。",
  'Invalid GeoPoint values. {}': 'GeoPoint 的值无效：{1}',
  'Invalid Leaderboard object. {}': '排行榜无效：{1}',
  'Invalid query. {}': '查询无效：{1}',
  'The request timed out on the server. Typically this indicates the request is too expensive.':
    '服务器处理超时，通常是因为请求的开销过大。',
  'Temporarily Unavailable.': '暂时不可用。',
  'Temporarily Unavailable: the disk of the server is full. Nothing can be stored until there is space.':
    '暂时不可用：服务器磁盘已满，腾出空间前无法存储。',
}
