package homeport;

import cn.leancloud.im.DirectlyOperationTube;
import cn.leancloud.im.RequestCache;
import cn.leancloud.im.v2.Conversation;
import cn.leancloud.im.v2.callback.AVIMCommonJsonCallback;
import com.alibaba.fastjson.JSONObject;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * What stands between the classes of the client and its connection, which Android replaces as well. The one for a plain
 * machine hands three things on in another form than the other side takes: the changes of a conversation, a count, and
 * lists of ids. This one hands them on as Android's does.
 */
final class Tube extends DirectlyOperationTube {
  Tube() {
    super(true);
  }

  @Override
  @SuppressWarnings("unchecked")
  public boolean updateConversation(String clientId, String conversationId, int kind, Map<String, Object> parameters,
      AVIMCommonJsonCallback callback) {
    Map<String, Object> changes = (Map<String, Object>) parameters.get(Conversation.PARAM_CONVERSATION_ATTRIBUTE);
    return super.updateConversation(clientId, conversationId, kind, new JSONObject(changes), callback);
  }

  @Override
  @SuppressWarnings("unchecked")
  public void onOperationCompletedEx(String clientId, String conversationId, int requestId,
      Conversation.AVIMOperation operation, HashMap<String, Object> result) {
    Object form = formOf(operation, result);
    if (form == null) {
      super.onOperationCompletedEx(clientId, conversationId, requestId, operation, result);
    } else {
      RequestCache requests = RequestCache.getInstance();
      requests.getRequestCallback(clientId, null, requestId).internalDone(form, null);
      requests.cleanRequestCallback(clientId, null, requestId);
    }
  }

  private static Object formOf(Conversation.AVIMOperation operation, Map<String, Object> result) {
    switch (operation) {
      case CONVERSATION_MEMBER_COUNT_QUERY:
        return result.get(Conversation.callbackMemberCount);
      case CONVERSATION_MUTED_MEMBER_QUERY:
      case CONVERSATION_BLOCKED_MEMBER_QUERY:
        return Arrays.asList((String[]) result.get(Conversation.callbackData));
      default:
        return null;
    }
  }
}
