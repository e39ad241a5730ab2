/* The native of Wrong.java: takes a class for a string, which CheckJNI must notice. */
#include <jni.h>

JNIEXPORT jint JNICALL Java_Wrong_length(JNIEnv *env, jclass type, jclass argument);

JNIEXPORT jint JNICALL Java_Wrong_length(JNIEnv *env, jclass type, jclass argument)
{
    (void)type;
    return (*env)->GetStringUTFLength(env, (jstring)argument);
}
