// What ART's verifier thinks of a loaded class: 0 nothing, 1 checks of access at run time, 2 a soft
// failure, 3 a hard one. The method is @FastNative, so that its caller holds the lock that the
// verifier wants. The names are those of one libart, and so is the place of the thread in a JNIEnv;
// the suite's self-test would notice another.
#include <jni.h>
#include <stdint.h>

#include <string>

namespace art
{
class CompilerCallbacks;
namespace mirror
{
class Class;
class Object;
} // namespace mirror
template <class T> class ObjPtr
{
  public:
    uintptr_t address;
};
class Thread
{
  public:
    ObjPtr<mirror::Object> DecodeJObject(jobject) const;
};
namespace verifier
{
enum class FailureKind : int {};
enum class HardFailLogMode : int {};
class ClassVerifier
{
  public:
    static FailureKind VerifyClass(Thread *, ObjPtr<mirror::Class>, CompilerCallbacks *,
                                   bool allow_soft_failures, HardFailLogMode, uint32_t api_level,
                                   std::string *error);
};
} // namespace verifier
} // namespace art

extern "C" JNIEXPORT jint JNICALL Java_Verify_verify(JNIEnv *env, jclass, jclass type,
                                                     jobjectArray message)
{
    auto self = reinterpret_cast<art::Thread **>(env)[1]; // behind the table of functions
    art::ObjPtr<art::mirror::Class> mirror{self->DecodeJObject(type).address};
    std::string error;
    auto kind = art::verifier::ClassVerifier::VerifyClass(
        self, mirror, nullptr, false, art::verifier::HardFailLogMode{}, 30, &error);
    if (env->ExceptionCheck()) {
        env->ExceptionClear();
    }
    if (!error.empty()) {
        env->SetObjectArrayElement(message, 0, env->NewStringUTF(error.c_str()));
    }
    return static_cast<jint>(kind);
}
